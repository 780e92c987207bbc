// SPDX-License-Identifier: Apache-2.0

/// A case of an enumeration, with functions that embed a value in it and extract the value.
///
/// ```swift
/// enum Action {
///     case counter(Counter.Action)
/// }
///
/// let counter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
/// ```
///
/// The macro `@Cases` of `HeadraceMacros` writes the cases of an enumeration.
public struct Case<Root, Value>: Sendable {
    @usableFromInline let embed: @Sendable (Value) -> Root
    @usableFromInline let extract: @Sendable (Root) -> Value?

    /// Creates it from the constructor of the case and a function that matches the case.
    ///
    /// - Parameters:
    ///   - embed: Makes a root from a value. Usually the name of the case, such as `Action.counter`.
    ///   - extract: Returns the value if the root is this case; otherwise `nil`.
    public init(_ embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        self.embed = embed
        self.extract = extract
    }

    /// Returns the value if `root` is this case; otherwise `nil`.
    public func value(in root: Root) -> Value? { extract(root) }

    /// Creates it for a case with two associated values, such as the id of a child and its action.
    public init<First, Second>(
        _ embed: @escaping @Sendable (First, Second) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) where Value == (First, Second) {
        self.embed = { embed($0.0, $0.1) }
        self.extract = extract
    }
}
