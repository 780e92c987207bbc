// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Adds a `Case` for each case of an enumeration, as case paths for the drippers of a station.
///
/// ```swift
/// @Cases
/// enum Action {
///     case reset
///     case counter(Counter.Action)
///     case row(Int, Row.Action)
/// }
///
/// Scope(state: \.counter, action: Action.Cases.counter) { Counter() }
/// ```
///
/// expands the enumeration by
///
/// ```swift
/// enum Cases {
///     static var counter: HeadraceStations.Case<Action, Counter.Action> {
///         HeadraceStations.Case(Action.counter) {
///             if case .counter(let value) = $0 {
///                 value
///             } else {
///                 nil
///             }
///         }
///     }
///     static var row: HeadraceStations.Case<Action, (Int, Row.Action)> {
///         HeadraceStations.Case(Action.row) {
///             if case .row(let first, let second) = $0 {
///                 (first, second)
///             } else {
///                 nil
///             }
///         }
///     }
/// }
/// ```
///
/// It's for actions, and for states that are enumerations. A case without an associated value, or with more than two, has no
/// `Case`. The new enumeration has the access level of the type.
///
/// Restrictions:
///
/// - The file imports `HeadraceStations` as well. For a public type that is a `public import` under
///   `InternalImportsByDefault`.
/// - No two cases have the same base name, and no case is inside `#if`.
@attached(member, names: named(Cases))
public macro Cases() = #externalMacro(module: "HeadraceMacrosPlugin", type: "CasesMacro")
#endif
