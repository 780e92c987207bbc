// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Synchronization
import Testing

@Suite struct MiddlewareTests {
    private let journal = Journal()

    // MARK: The order of middleware

    @Test func theFirstMiddlewareIsTheOutermost() async throws {
        let dispatcher = dispatcher(["first", "second", "third"].map { Signposts(name: $0, journal: journal) })

        try await dispatcher.dispatch(Note(text: "one"))

        #expect(
            journal.entries
                == ["first in", "second in", "third in", "note one", "third out", "second out", "first out"]
        )
    }

    @Test func aQueryIsAnsweredThroughAllMiddleware() async throws {
        let dispatcher = dispatcher(["outer", "inner"].map { Signposts(name: $0, journal: journal) })

        let notes = try await dispatcher.dispatch(ReadNotes())

        #expect(notes == ["outer in", "inner in"])
        #expect(journal.entries == ["outer in", "inner in", "inner out", "outer out"])
    }

    @Test func theHandlerIsMadeOnlyWhenAllMiddlewareLetsTheMessagePass() async throws {
        let dispatcher = dispatcher([Signposts(name: "outer", journal: journal), Closed()])

        await #expect(throws: Closed.Refusal.self) { try await dispatcher.dispatch(Trace(with: .success(()))) }

        #expect(journal.entries == ["outer in", "outer failed"])
    }

    @Test func theHandlerIsMadeAfterTheMiddlewareHasLetTheMessagePass() async throws {
        let dispatcher = dispatcher([Signposts(name: "outer", journal: journal)])

        try await dispatcher.dispatch(Trace(with: .success(())))

        #expect(journal.entries == ["outer in", "made", "handled", "outer out"])
    }

    @Test func middlewareCanReplaceTheMessage() async throws {
        let dispatcher = dispatcher([Capitalising()])

        try await dispatcher.dispatch(Note(text: "one"))

        #expect(journal.entries == ["note ONE"])
    }

    @Test func eachAttemptOfMiddlewareMakesANewHandler() async throws {
        let dispatcher = dispatcher([Retrying(attempts: 3)])

        await #expect(throws: Reason.self) { try await dispatcher.dispatch(Trace(with: .failure(Reason()))) }

        #expect(journal.entries == ["made", "handled", "made", "handled", "made", "handled"])
    }

    @Test func anErrorOfTheHandlerPassesThroughMiddlewareUnwrapped() async throws {
        let dispatcher = dispatcher([Signposts(name: "outer", journal: journal), PassThrough()])
        let reason = Reason()

        let error = await #expect(throws: Reason.self) {
            try await dispatcher.dispatch(Trace(with: .failure(reason)))
        }

        #expect(error === reason)
        #expect(journal.entries == ["outer in", "made", "handled", "outer failed"])
    }

    @Test func aMissingHandlerIsReportedThroughMiddlewareAndNamesTheList() async throws {
        struct Unknown: CQDCommand {}
        let dispatcher = dispatcher([Signposts(name: "outer", journal: journal)])

        let error = await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(Unknown()) }

        #expect(error?.code == .noHandler)
        #expect(error?.message.contains("commandHandlers") == true)
        #expect(journal.entries == ["outer in", "outer failed"])
    }

    // MARK: Observers

    @Test func observersSurroundAllMiddleware() async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self],
            middleware: [Signposts(name: "middleware", journal: journal)],
            observers: [Watching(name: "a", journal: journal), Watching(name: "b", journal: journal)],
            journal: journal
        )

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Note(text: "one"))

        #expect(
            journal.entries == [
                "a: command began", "b: command began", "middleware in", "note one", "middleware out",
                "a: command succeeded", "b: command succeeded",
            ]
        )
    }

    @Test func observersWithoutMiddlewareAreNotifiedOfQueriesAndFailures() async throws {
        let contracts = container(
            commandHandlers: [TraceHandler.self],
            queryHandlers: [ReadNotesHandler.self],
            observers: [Watching(name: "a", journal: journal)],
            journal: journal
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        _ = try await dispatcher.dispatch(ReadNotes())
        await #expect(throws: Reason.self) { try await dispatcher.dispatch(Trace(with: .failure(Reason()))) }

        #expect(
            journal.entries == [
                "a: query began", "a: query succeeded", "a: command began", "made", "handled", "a: command failed",
            ]
        )
    }

    // MARK: Isolation

    @Test @MainActor func everythingStaysOnTheActorOfTheCaller() async throws {
        let contracts = container(queryHandlers: [BoxHandler.self], middleware: [OnMainActor(), OnMainActor()])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        // Neither the answer nor the handler is `Sendable`.
        let box = try await dispatcher.dispatch(GetBox())
        box.places.append("caller")

        #expect(box.places == ["handler", "caller"])
    }

    @Test(.timeLimit(.minutes(2)))
    func cancellingTheCallerCancelsTheHandlerThroughMiddleware() async throws {
        let (began, begin) = AsyncStream<Void>.makeStream()
        let contracts = container(
            commandHandlers: [LingerHandler.self],
            middleware: [PassThrough(), PassThrough()],
            journal: journal
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let dispatching = Task { try await dispatcher.dispatch(Linger(begun: begin)) }
        for await _ in began { break }
        dispatching.cancel()

        await #expect(throws: CancellationError.self) { try await dispatching.value }
        #expect(journal.entries == ["cancelled"])
    }

    private func dispatcher(_ middleware: [any Middleware]) -> any CommandQueryDispatcher {
        container(
            commandHandlers: [NoteHandler.self, TraceHandler.self],
            queryHandlers: [ReadNotesHandler.self],
            middleware: middleware,
            journal: journal
        ).resolve()
    }
}

// MARK: - Middleware and observers

private struct Capitalising: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard let note = message as? Note, let replaced = Note(text: note.text.uppercased()) as? Message else {
            return try await next(message)
        }
        return try await next(replaced)
    }
}

private struct OnMainActor: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        MainActor.preconditionIsolated()
        let output = try await next(message)
        MainActor.preconditionIsolated()
        return output
    }
}

private struct Watching: MessageObserver {
    let name: String
    let journal: Journal

    func messageBegan(_ context: MessageContext) {
        journal.record("\(name): \(context.kind) began")
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        switch outcome {
        case .success: journal.record("\(name): \(context.kind) succeeded")
        case .failure: journal.record("\(name): \(context.kind) failed")
        }
    }
}

// MARK: - Messages and handlers

private final class Reason: Error {}

/// A command whose handler records its creation and its call, and ends with the given result.
private struct Trace: CQDCommand {
    var with: Result<Void, any Error>
}

private final class TraceHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        journal.record("made")
    }

    func handle(_ command: Trace) async throws {
        journal.record("handled")
        try command.with.get()
    }
}

private final class Box {
    var places: [String] = []
}

private struct GetBox: CQDQuery {
    typealias Value = Box
}

private final class BoxHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetBox) async throws -> Box {
        MainActor.preconditionIsolated()
        let box = Box()
        box.places.append("handler")
        return box
    }
}

private struct Linger: CQDCommand {
    var begun: AsyncStream<Void>.Continuation
}

private final class LingerHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: Linger) async throws {
        command.begun.yield()
        // The stream has no elements. It ends when the task is cancelled.
        let (never, continuation) = AsyncStream<Never>.makeStream()
        defer { continuation.finish() }
        for await _ in never {}
        journal.record("cancelled")
        try Task.checkCancellation()
    }
}
