// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import Testing

/// A mistake in the composition fails the message and not the process.
@Suite struct MissingDependencyTests {
    private func builder(scoping: DispatchScoping = .dispatcher, middleware: Bool = false) -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [SendHandler.self, EraseAllHandler.self],
            queryHandlers: [CountSentHandler.self],
            streamHandlers: [WatchSentHandler.self],
            middleware: middleware ? [PassThrough()] : [],
            scoping: scoping
        )
        return builder
    }

    @Test(arguments: [false, true], [false, true])
    func itFailsACommandAQueryAndAStream(isScopedPerDispatch: Bool, hasMiddleware: Bool) async throws {
        let container = builder(
            scoping: isScopedPerDispatch ? .perDispatch : .dispatcher,
            middleware: hasMiddleware
        )
        .build()
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        let refusals = [
            await #expect(throws: ResolutionError.self) { try await dispatcher.dispatch(Send()) },
            await #expect(throws: ResolutionError.self) { _ = try await dispatcher.dispatch(CountSent()) },
            await #expect(throws: ResolutionError.self) { _ = try await dispatcher.dispatch(WatchSent()) },
        ]
        try await dispatcher.dispatch(EraseAll())

        #expect(refusals.map { $0?.code } == [.missing, .missing, .missing])
        #expect(
            refusals.first??.message == """
                Nothing is registered for 'HeadraceCommandsTests.Outlet', needed by HeadraceCommandsTests.SendHandler. To fix, \
                add 'builder.transient((any HeadraceCommandsTests.Outlet).self) { … }', '.scoped' or '.singleton' before \
                'build()', or use 'tryResolve()' if it may be missing.
                """
        )
    }

    @Test func itFailsEachDispatchUntilTheContainerHasTheDependency() async throws {
        let builder = builder()
        let without = builder.build()
        builder.singleton((any Outlet).self) { QuietOutlet() }
        // Both containers share the handlers of the registration.
        let with = builder.build()

        for _ in 1...2 {
            try await with.resolve((any CommandQueryDispatcher).self).dispatch(Send())
            await #expect(throws: ResolutionError.self) {
                try await without.resolve((any CommandQueryDispatcher).self).dispatch(Send())
            }
        }
    }

    @Test func aDispatcherThatASingletonHoldsFailsTheCommandToo() async throws {
        let builder = builder()
        builder.singleton(Holder.init)
        let container = builder.build()

        await #expect(throws: ResolutionError.self) {
            try await container.resolve(Holder.self).dispatcher.dispatch(Send())
        }
    }

    @Test func anObjectOfTheMainActorIsCheckedForEachDispatch() async throws {
        let builder = builder()
        builder.transient((any Outlet).self, on: MainActor.self) { QuietOutlet() }
        let container = builder.build()

        try await Self.sendOnTheMainActor(container)
        let refusal = await #expect(throws: ResolutionError.self) {
            try await container.resolve((any CommandQueryDispatcher).self).dispatch(Send())
        }

        #expect(refusal?.code == .notOnMainActor)
    }

    @MainActor private static func sendOnTheMainActor(_ container: Container) async throws {
        try await container.resolve((any CommandQueryDispatcher).self).dispatch(Send())
    }
}

// MARK: - Fixtures

private protocol Outlet: Sendable {}

private struct QuietOutlet: Outlet {}

private struct Send: CQDCommand {}

private struct EraseAll: CQDCommand {}

private struct CountSent: CQDQuery {
    typealias Value = Int
}

private struct WatchSent: CQDStreamQuery {
    typealias Element = Int
}

private struct SendHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on((any Outlet).self)

    private let outlet: any Outlet

    init(scope: any DependencyResolutionScope) {
        outlet = scope.resolve()
    }

    func handle(_ command: Send) async throws {}
}

private struct EraseAllHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies()

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: EraseAll) async throws {}
}

private struct CountSentHandler: HandlesQuery, Resolvable {
    static let dependencies = Dependencies().on((any Outlet).self)

    private let outlet: any Outlet

    init(scope: any DependencyResolutionScope) {
        outlet = scope.resolve()
    }

    func handle(_ query: CountSent) async throws -> Int { 0 }
}

private struct WatchSentHandler: HandlesStreamQuery, Resolvable {
    static let dependencies = Dependencies().on((any Outlet).self)

    private let outlet: any Outlet

    init(scope: any DependencyResolutionScope) {
        outlet = scope.resolve()
    }

    func handle(_ query: WatchSent) async throws -> some AsyncSequence<Int, any Error> {
        QueryStream { nil }
    }
}

private final class Holder: Sendable {
    let dispatcher: any CommandQueryDispatcher

    init(dispatcher: any CommandQueryDispatcher) {
        self.dispatcher = dispatcher
    }
}
