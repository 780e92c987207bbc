// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

private protocol Api: Sendable {}

private struct LiveApi: Api {}

private struct Save: CQDCommand {}

private struct StatingHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self).on((any Api).self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

private struct SecondHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

/// A handler that dispatches messages itself.
///
/// That is no cycle, because each dispatch makes a new handler.
private struct SendingHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self).on((any CommandQueryDispatcher).self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

private struct Watch: CQDStreamQuery {
    typealias Element = Int
}

/// Handles several messages as a unit.
private struct Together: AtomicMiddleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}

@Suite struct CompositionTests {
    private func problems(
        _ handlers: any (HandlesCommand & Resolvable).Type...,
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        withApi: Bool = true
    ) -> [CompositionProblem] {
        let builder = ContainerBuilder()
        if withApi { builder.singleton((any Api).self) { LiveApi() } }
        builder.commandQueryDispatch().standard(
            commandHandlers: handlers,
            messages: messages,
            middleware: middleware
        )
        do {
            try builder.validate()
            return []
        } catch let error as CompositionError {
            return error.problems
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test func aCompositionWithAllDependenciesIsValid() {
        #expect(problems(StatingHandler.self).isEmpty)
    }

    @Test func aMissingDependencyOfAHandlerIsFoundWithoutADispatch() {
        let problems = problems(StatingHandler.self, withApi: false)

        #expect(problems.map(\.kind) == [.missing])
        #expect(problems.first?.message.contains("Api") == true)
    }

    @Test func twoHandlersOfOneMessageAreNamedWithTheirMessage() {
        let problems = problems(StatingHandler.self, SecondHandler.self)

        #expect(problems.map(\.kind) == [.duplicateHandler])
        #expect(problems.first?.message.contains("Save' has 2 handlers") == true)
        #expect(problems.first?.message.contains("To fix, remove the others from 'commandHandlers: […]'") == true)
    }

    @Test func aHandlerThatDispatchesIsNoCycle() {
        #expect(problems(SendingHandler.self).isEmpty)
    }

    @Test func aSentMessageWithoutAHandlerIsNamedWithTheLineToAdd() {
        let problems = problems(SecondHandler.self, messages: [Save.self, Watch.self])

        #expect(problems.map(\.kind) == [.missingHandler])
        #expect(
            problems.first?.message == """
                No handler is registered for 'HeadraceCommandsTests.Watch'. To fix, add the type that handles it \
                to 'streamHandlers: […]' of 'commandQueryDispatch().standard(…)'.
                """
        )
        #expect(problems.first?.path.map { ObjectIdentifier($0) } == [ObjectIdentifier(Watch.self)])
    }

    @Test func aReportedMissingHandlerHasTheMessageOfTheErrorOfADispatch() async throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(messages: [Save.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        let error = try await #require(throws: DispatchError.self) { try await dispatcher.dispatch(Save()) }

        #expect(problems(messages: [Save.self]).map(\.message) == [error.message])
        #expect(error.codeName == "noHandler")
    }

    @Test func messagesOfAReplacedDispatcherAreNotReported() throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(messages: [Save.self])
        builder.commandQueryDispatch().standard(commandHandlers: [SecondHandler.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.duplicate])
    }

    @Test func aRetryMiddlewareWithoutEffectIsReportedWithItsNewPosition() {
        let retry = RetryMiddleware()

        #expect(problems(middleware: [retry, Together()]).isEmpty)
        let problems = problems(middleware: [ValidationMiddleware(), Together(), retry])
        #expect(problems.map(\.kind) == [.misplacedMiddleware])
        #expect(
            problems.first?.message == """
                'HeadraceCore.RetryMiddleware' has no effect inside 'HeadraceCommandsTests.Together'. To fix, put \
                it before 'HeadraceCommandsTests.Together' in 'middleware: […]'.
                """
        )
    }

    @Test func strictValidationRequiresEncodableCommandsForIdempotencyKeys() throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [SecondHandler.self, StoredHandler.self],
            middleware: [Keeping()]
        )

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                """
                'HeadraceCommandsTests.Save' is not 'Encodable', so 'HeadraceCommandsTests.Keeping' refuses it if it is sent \
                with an idempotency key. To fix, add the conformance.
                """
            ]
        )
    }

    @Test func strictValidationRequiresCodableResultsForIdempotencyKeys() throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [StoredHandler.self, OpenedHandler.self],
            middleware: [Keeping()]
        )

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                """
                'HeadraceCommandsTests.Opened' returns 'HeadraceCommandsTests.Door', which is not 'Codable', so \
                'HeadraceCommandsTests.Keeping' refuses it if it is sent with an idempotency key. To fix, add the conformance.
                """
            ]
        )
    }

    @Test func theGraphNamesTheResultOfACommand() {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [StoredHandler.self, OpenedHandler.self])

        let mermaid = builder.build().graph.mermaid

        #expect(mermaid.contains("OpenedHandler<br/>made later, returns HeadraceCommandsTests.Door"))
        #expect(mermaid.contains("StoredHandler<br/>made later\""))
    }
}

private struct Door {}

private struct Opened: CQDCommand, Encodable {
    typealias Output = Door
}

private struct OpenedHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Opened) async throws -> Door { Door() }
}

private struct Stored: CQDCommand, Encodable {}

private struct StoredHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Stored) async throws {}
}

/// Stores commands under idempotency keys.
private struct Keeping: KeyedMiddleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}
