// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MiddlewareTestSupport
import Testing

/// `Next`, as used to test a middleware in isolation or to call the rest of the chain repeatedly.
@Suite struct NextTests {
    private func context() async throws -> MessageContext {
        try await Handling().handle { _ in try #require(MessageContext.current) }
    }

    @Test func aChainWithoutMiddlewareCallsItsHandler() async throws {
        let next = Next<Ping, Int>(in: try await context()) { _ in 7 }

        #expect(try await next(Ping()) == 7)
    }

    @Test func aMiddlewareCanBeTestedInIsolation() async throws {
        let context = try await context()
        let journal = Journal()

        try await Noting(name: "a", journal: journal)
            .handle(Ping(), in: context, next: Next(in: context) { _ in journal.note("handler") })

        #expect(journal.entries == ["a begins", "handler", "a ends"])
    }

    @Test func eachCallRunsTheWholeRestOfTheChain() async throws {
        let journal = Journal()
        let handling = Handling(Repeating(times: 3), Noting(name: "a", journal: journal), Repeating(times: 2))

        try await handling.handle { _ in journal.note("handler") }

        let inner = ["a begins", "handler", "handler", "a ends"]
        #expect(journal.entries == inner + inner + inner)
    }

    @Test func overlappingCallsOfAMiddlewareAreIndependent() async throws {
        let journal = Journal()
        let handling = Handling(Nested(), Noting(name: "a", journal: journal))

        try await handling.handle { _ in journal.note("handler") }

        #expect(journal.entries == ["a begins", "handler", "a ends", "a begins", "handler", "a ends"])
    }

    @Test func theChainIsReleasedWhenTheHandlingHasEnded() async throws {
        weak var journal: Journal?
        do {
            let noting = Journal()
            journal = noting
            try await Handling(Noting(name: "a", journal: noting)).handle { _ in noting.note("handler") }
        }
        #expect(journal == nil)
    }
}

/// Handles each message several times.
private struct Repeating: Middleware {
    let times: Int

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        for _ in 1..<times { _ = try await next(message) }
        return try await next(message)
    }
}

/// Calls the rest of the chain while another call of it is running.
private struct Nested: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let again = Next<Message, Output>(in: context) { message in
            _ = try await next(message)
            return try await next(message)
        }
        return try await again(message)
    }
}
