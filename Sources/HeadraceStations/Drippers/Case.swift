//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One case of an enumeration, as something to put into it and to take out of it.
///
/// ```swift
/// enum Action {
///     case counter(Counter.Action)
/// }
///
/// let counter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
/// ```
public struct Case<Root, Value>: Sendable {
    @usableFromInline let embed: @Sendable (Value) -> Root
    @usableFromInline let extract: @Sendable (Root) -> Value?

    /// Creates it from the constructor of the case and the pattern that matches it.
    ///
    /// - Parameters:
    ///   - embed: Makes a root of the value: as a rule the case's own name, `Action.counter`.
    ///   - extract: Gives the value back where the root is that case, `nil` otherwise.
    public init(_ embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        self.embed = embed
        self.extract = extract
    }

    /// Creates it for a case with two values, such as the id of a child and its action.
    public init<First, Second>(
        _ embed: @escaping @Sendable (First, Second) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) where Value == (First, Second) {
        self.embed = { embed($0.0, $0.1) }
        self.extract = extract
    }
}
