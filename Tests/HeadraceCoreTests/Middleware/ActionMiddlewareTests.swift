// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MiddlewareTestSupport
import Testing

/// Synchronous middleware around messages of every kind.
@Suite struct ActionMiddlewareTests {
    @Test func theMethodsAreCalledInOrderAndTheLastReceivesTheOutcome() async throws {
        let journal = Journal()
        let handling = Handling(Stepping(journal: journal))

        try await handling.handle { _ in journal.note("handler") }
        await #expect(throws: Refusal.self) { try await handling.handle { _ in throw Refusal() } }

        #expect(journal.entries == ["should", "will", "handler", "did", "should", "will", "did not: Refusal()"])
    }

    @Test func aRefusedMessageIsNotHandledAndTheErrorNamesTheMiddleware() async throws {
        let journal = Journal()
        let handling = Handling(Stepping(journal: journal, isOpen: false))

        let error = try await #require(throws: MessageError.self) {
            try await handling.handle { _ in journal.note("handler") }
        }

        #expect(error.code == .refused)
        #expect(
            error.message == """
                'MiddlewareTestSupport.Ping' was refused by the middleware 'Stepping', so it wasn't handled. To fix, send it when \
                the middleware allows it, or remove the middleware from the chain.
                """
        )
        #expect(journal.entries == ["should"])
    }

    @Test func allMethodsAreOptional() async throws {
        struct Silent: ActionMiddleware {}

        #expect(try await Handling(Silent()).handle { _ in 7 } == 7)
    }

    @Test func synchronousAndAsynchronousMiddlewareRunsInOrderOfRegistration() async throws {
        let journal = Journal()
        let handling = Handling(
            Noting(name: "a", journal: journal), Stepping(journal: journal), Noting(name: "b", journal: journal))

        try await handling.handle { _ in journal.note("handler") }

        #expect(journal.entries == ["a begins", "should", "will", "b begins", "handler", "b ends", "did", "a ends"])
    }

    @Test @MainActor func theMethodsStayOnTheActorOfTheCaller() async throws {
        try await Handling(Stepping(journal: Journal())).onMainActor.handle { _ in }
    }
}

private struct Refusal: Error {}

private struct Stepping: ActionMiddleware {
    let journal: Journal
    var isOpen = true

    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
        journal.note("should")
        return isOpen
    }

    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) { journal.note("will") }

    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome) {
        switch outcome {
        case .success: journal.note("did")
        case .failure(let error): journal.note("did not: \(error)")
        }
    }
}
