// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceResolution
import Measuring

/// An unlimited number of types, for tables of any size.
public enum Numbered {
    /// Registers `count` types that are not resolved in a measurement.
    public static func register(_ count: Int, in builder: ContainerBuilder) {
        for type in NumberedTypes.make(count) { registerOne(type, in: builder) }
    }

    /// Returns handlers for `count` commands that are not dispatched in a measurement.
    public static func handlers(_ count: Int) -> [any (HandlesCommand & Resolvable).Type] {
        NumberedTypes.make(count).map { handler(of: $0) }
    }

    /// Registers `count` singletons of different types.
    ///
    /// - Returns: For each singleton, a function that resolves it repeatedly.
    public static func registerSingletons(
        _ count: Int,
        in builder: ContainerBuilder
    ) -> [@Sendable (Container, _ times: Int) -> Void] {
        NumberedTypes.make(count).map { registerSingleton($0, in: builder) }
    }

    /// A message type for each number.
    struct Command<Number>: CQDCommand {}

    final class Handler<Number>: HandlesCommand, Resolvable {
        init(scope: any DependencyResolutionScope) {}

        func handle(_ command: Command<Number>) async throws {}
    }

    final class Object<Number>: Sendable {}

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
}
