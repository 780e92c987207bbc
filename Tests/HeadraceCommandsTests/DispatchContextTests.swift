// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

/// The context of a message while the standard dispatcher handles it.
@Suite struct DispatchContextTests {
    private let recorder = ContextRecorder()

    @Test func theContextHasTheKindAndTheTypeOfTheMessage() async throws {
        let dispatcher = container(
            commandHandlers: [NoteHandler.self],
            queryHandlers: [ReadNotesHandler.self],
            middleware: [recorder]
        ).resolve((any CommandQueryDispatcher).self)

        try await dispatcher.dispatch(Note(text: "one"))
        _ = try await dispatcher.dispatch(ReadNotes())

        #expect(recorder.contexts.map(\.kind) == [.command, .query])
        #expect(recorder.contexts.map(\.typeName) == ["HeadraceCommandsTests.Note", "HeadraceCommandsTests.ReadNotes"])
    }

    @Test func eachDispatchIsANewMessageWithoutACause() async throws {
        let dispatcher = container(commandHandlers: [NoteHandler.self], middleware: [recorder])
            .resolve((any CommandQueryDispatcher).self)

        try await dispatcher.dispatch(Note(text: "one"))
        try await dispatcher.dispatch(Note(text: "two"))

        let (first, second) = (recorder.contexts[0], recorder.contexts[1])
        #expect(first.id != second.id)
        #expect(first.causationID == nil)
        #expect(second.causationID == nil)
        #expect(first.correlationID == first.id)
        #expect(second.correlationID == second.id)
    }

    @Test func aNestedDispatchNamesItsCauseAndKeepsTheCorrelation() async throws {
        let dispatcher = container(
            commandHandlers: [NoteHandler.self, NestHandler.self],
            middleware: [recorder]
        ).resolve((any CommandQueryDispatcher).self)

        try await dispatcher.dispatch(Nest(depth: 2))

        let contexts = recorder.contexts
        #expect(contexts.map(\.typeName).map { $0.hasSuffix("Note") } == [false, false, false, true])
        #expect(contexts.map(\.causationID) == [nil, contexts[0].id, contexts[1].id, contexts[2].id])
        #expect(contexts.allSatisfy { $0.correlationID == contexts[0].id })
    }

    @Test func aHandlerSeesTheContextThatItsMiddlewareSees() async throws {
        let dispatcher = container(queryHandlers: [CurrentHandler.self], middleware: [recorder])
            .resolve((any CommandQueryDispatcher).self)

        let context = try await dispatcher.dispatch(Current())

        #expect(context?.id == recorder.contexts.first?.id)
        #expect(MessageContext.current == nil)
    }

    @Test func withoutMiddlewareAndObserversThereIsNoContext() async throws {
        let dispatcher = container(queryHandlers: [CurrentHandler.self]).resolve((any CommandQueryDispatcher).self)

        #expect(try await dispatcher.dispatch(Current()) == nil)
    }

    @Test func messagesAndNestedMessagesHaveThePrincipalOfTheCaller() async throws {
        let dispatcher = container(
            commandHandlers: [NoteHandler.self, NestHandler.self],
            middleware: [recorder]
        ).resolve((any CommandQueryDispatcher).self)

        try await MessageContext.withPrincipal(User(principalID: "ada")) {
            try await dispatcher.dispatch(Nest(depth: 0))
        }

        #expect(recorder.contexts.map { $0.principal?.principalID } == ["ada", "ada"])
    }

    @Test(arguments: [(-1, true), (0, false), (1, false)])
    func aMessageIsRefusedFromItsDeadlineOnBeforeItsHandlerIsMade(offset: Int, isHandled: Bool) async throws {
        let deadline = ContinuousClock.now
        let contracts = container(
            commandHandlers: [NoteHandler.self],
            middleware: [recorder],
            clock: StoppedClock(now: deadline + .nanoseconds(offset))
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        var refusal: MessageError?
        do {
            try await MessageContext.withDeadline(deadline) { try await dispatcher.dispatch(Note(text: "one")) }
        } catch let error as MessageError {
            refusal = error
        }

        #expect(refusal?.code == (isHandled ? nil : .deadlineExceeded))
        #expect(contracts.resolve(Tenants.self).all.count == (isHandled ? 1 : 0))
        #expect(recorder.contexts.count == (isHandled ? 1 : 0))
    }
}

private struct User: Principal {
    let principalID: String
}

/// A clock that never advances.
private struct StoppedClock: TimeSource {
    let now: ContinuousClock.Instant

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        preconditionFailure("nobody wakes up at a clock that stands still")
    }
}

private struct Nest: CQDCommand {
    var depth: Int
}

private final class NestHandler: HandlesCommand, Resolvable {
    private let dispatcher: any CommandQueryDispatcher

    init(scope: any DependencyResolutionScope) {
        dispatcher = scope.resolve()
    }

    func handle(_ command: Nest) async throws {
        if command.depth > 0 {
            try await dispatcher.dispatch(Nest(depth: command.depth - 1))
        } else {
            try await dispatcher.dispatch(Note(text: "innermost"))
        }
    }
}

private struct Current: CQDQuery {
    typealias Value = MessageContext?
}

private final class CurrentHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: Current) async throws -> MessageContext? { MessageContext.current }
}
