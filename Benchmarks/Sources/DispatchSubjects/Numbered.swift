//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCommands
public import HeadraceResolution
import Measuring

/// An unlimited number of types, for tables of any size.
public enum Numbered {
    /// Registers `count` types that are not resolved in a measurement.
    public static func register(_ count: Int, in builder: ContainerBuilder) {
        for type in types(count) { registerOne(type, in: builder) }
    }

    /// Returns handlers for `count` commands that are not dispatched in a measurement.
    public static func handlers(_ count: Int) -> [any (HandlesCommand & Resolvable).Type] {
        types(count).map { handler(of: $0) }
    }

    /// Registers `count` singletons of different types.
    ///
    /// - Returns: For each singleton, a function that resolves it repeatedly.
    public static func registerSingletons(
        _ count: Int,
        in builder: ContainerBuilder
    ) -> [@Sendable (Container, _ times: Int) -> Void] {
        types(count).map { registerSingleton($0, in: builder) }
    }

    /// A message type for each number.
    struct Command<Number>: CQDCommand {}

    final class Handler<Number>: HandlesCommand, Resolvable {
        init(scope: any DependencyResolutionScope) {}

        func handle(_ command: Command<Number>) async throws {}
    }

    final class Object<Number>: Sendable {}

    private struct Zero {}
    private struct Successor<Number> {}
    private struct Pair<First, Second> {}

    private static func registerOne<Number>(_ number: Number.Type, in builder: ContainerBuilder) {
        builder.scoped(Command<Number>.self) { Command<Number>() }
    }

    private static func registerSingleton<Number>(
        _ number: Number.Type,
        in builder: ContainerBuilder
    ) -> @Sendable (Container, _ times: Int) -> Void {
        builder.singleton(Object<Number>.self) { Object<Number>() }
        return { container, times in
            for _ in 0..<times { consume(container.resolve(Object<Number>.self)) }
        }
    }

    private static func handler<Number>(of number: Number.Type) -> any (HandlesCommand & Resolvable).Type {
        Handler<Number>.self
    }

    /// Pairs of a hundred types, so that no type is nested deeply.
    private static func types(_ count: Int) -> [Any.Type] {
        var digits: [Any.Type] = []
        var digit: Any.Type = Zero.self
        for _ in 0..<100 {
            digits.append(digit)
            digit = successor(of: digit)
        }
        return (0..<count).map { number in
            let first = digits[number / 100]
            let second = digits[number % 100]
            return pair(first, second)
        }
    }

    private static func successor<Number>(of number: Number.Type) -> Any.Type { Successor<Number>.self }

    private static func pair<First, Second>(_ first: First.Type, _ second: Second.Type) -> Any.Type {
        Pair<First, Second>.self
    }
}
