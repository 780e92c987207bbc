// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

/// Middleware that a dispatcher resolves from its container.
@Suite struct ResolvedMiddlewareTests {
    private func builder(
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type]
    ) -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.singleton(Journal.init)
        builder.commandQueryDispatch().standard(
            commandHandlers: [LogHandler.self],
            middleware: middleware,
            resolvedMiddleware: resolvedMiddleware
        )
        return builder
    }

    @Test func itIsInsideTheOtherMiddlewareInItsOrder() async throws {
        let journal = Journal()
        let builder = builder(
            middleware: [Entering(name: "given", journal: journal)],
            resolvedMiddleware: [Outer.self, Inner.self]
        )
        builder.singleton { journal }
        builder.singleton(Outer.init)
        builder.transient(Inner.init)

        try await builder.build().resolve((any CommandQueryDispatcher).self).dispatch(Log())

        #expect(journal.entries == ["given", "outer", "inner", "log"])
    }

    @Test func itComesFromTheScopeOfTheDispatcher() async throws {
        let builder = builder(resolvedMiddleware: [Inner.self])
        builder.scoped(Inner.init)
        let container = builder.build()
        let (one, other) = (container.scope(), container.scope())

        for scope in [one, one, other] {
            try await scope.resolve((any CommandQueryDispatcher).self).dispatch(Log())
        }

        #expect(one.resolve(Inner.self).count.value == 2)
        #expect(other.resolve(Inner.self).count.value == 1)
    }

    @Test func aMissingMiddlewareIsReportedByValidation() throws {
        let builder = builder(resolvedMiddleware: [Inner.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
        #expect(
            error.problems.first?.message.hasPrefix(
                """
                Nothing is registered for 'HeadraceCommandsTests.Inner', needed by HeadraceCommands.CommandQueryDispatcher. To fix
                """
            ) == true
        )
    }

    @Test func aRetryThatIsResolvedWithinAnAtomicMiddlewareIsReported() throws {
        let builder = builder(resolvedMiddleware: [Whole.self, RetryMiddleware.self])
        builder.singleton(Whole.init)
        builder.singleton { RetryMiddleware() }

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.misplacedMiddleware])
    }

    @Test func strictlyACommandIsEncodableIfTheResolvedMiddlewareKeepsKeys() throws {
        let builder = builder(resolvedMiddleware: [Keyed.self])
        builder.singleton(Keyed.init)

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.notEncodable])
    }
}

// MARK: - Fixtures

private struct Log: CQDCommand {}

private struct LogHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(Journal.self)

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: Log) async throws {
        journal.record("log")
    }
}

/// Records its name before it lets a message pass.
private struct Entering: Middleware {
    let name: String
    let journal: Journal

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        journal.record(name)
        return try await next(message)
    }
}

private struct Outer: Middleware {
    private let entering: Entering

    init(journal: Journal) {
        entering = Entering(name: "outer", journal: journal)
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await entering.handle(message, in: context, next: next)
    }
}

private struct Inner: Middleware {
    let count = Counter()
    private let entering: Entering

    init(journal: Journal) {
        entering = Entering(name: "inner", journal: journal)
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        count.increment()
        return try await entering.handle(message, in: context, next: next)
    }
}

private final class Counter: Sendable {
    private let journal = Journal()

    var value: Int { journal.entries.count }

    func increment() { journal.record("") }
}

private struct Whole: AtomicMiddleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}

private struct Keyed: KeyedMiddleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}
