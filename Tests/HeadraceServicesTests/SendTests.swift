// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Synchronization
import Testing

/// Records each message and its cause.
private final class CauseRecorder: MessageObserver {
    let journal = Journal()
    private let names = Mutex<[UUID: String]>([:])

    func messageBegan(_ context: MessageContext) {
        let name = "\(context.type)"
        let cause = names.withLock { names in
            names[context.id] = name
            return context.causationID.flatMap { names[$0] }
        }
        journal.note("\(name) because of \(cause ?? "nothing")")
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        journal.note("\(context.type) ended: \(outcome.code)")
    }
}

private struct PongRefusingMiddleware: ActionMiddleware {
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { !(message is Pong) }
}

/// Actions that handlers send.
@Suite(.timeLimit(.minutes(2))) struct SendTests {
    private let journal = Journal()

    /// A service that sends a pong for each ping.
    private func answering() -> some Service {
        Store(model: Journal.self)
            .mutate(on: Ping.self) { journal, action, send in
                journal.note("before")
                try await send(Pong(number: action.number))
                journal.note("after")
            }
            .with(model: journal)
    }

    @Test func anActionThatAHandlerSendsIsHandledBeforeTheHandlerContinues() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            answering()
            Store(model: Journal.self)
                .mutate(on: Pong.self) { journal, _, _ in journal.note("pong") }
                .with(model: journal)
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["before", "pong", "after"])
    }

    @Test func anErrorOfANestedSendReachesTheHandlerAndTheSender() async throws {
        let cluster = try await Bootstrap {
            answering()
            Store(model: Journal.self)
                .mutate(on: Pong.self) { _, _, _ in throw TestFailure("pong failed") }
                .with(model: journal)
        }

        await #expect(throws: TestFailure("pong failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["before"])
    }

    @Test(arguments: [0, 1, 7, 100])
    func handlersThatSendToEachOtherFailAtTheDepthLimit(limit: Int) async throws {
        var configuration = Bootstrap.Configuration()
        configuration.depthLimit = limit
        let cluster = try await Bootstrap(configuration: configuration) {
            answering()
            Store(model: Journal.self)
                .mutate(on: Pong.self) { _, _, send in try await send(Ping()) }
                .with(model: journal)
        }

        let error = await #expect(throws: ServiceError.self) { try await cluster.send(action: Ping()) }

        #expect(error?.code == .tooDeep)
        #expect(journal.entries == Array(repeating: "before", count: limit / 2 + 1))
    }

    @Test func observersReceiveTheCauseOfAnAction() async throws {
        let causes = CauseRecorder()
        var configuration = Bootstrap.Configuration()
        configuration.observers = [causes]
        let cluster = try await Bootstrap(configuration: configuration) {
            answering()
            Store(model: Journal.self)
                .mutate(on: Pong.self) { _, _, _ in throw TestFailure("pong failed") }
                .with(model: journal)
                .transformError { Recovery(name: "\($0)") }
        }

        try await cluster.send(action: Ping())

        #expect(
            causes.journal.entries == [
                "Ping because of nothing", "Pong because of Ping", "Recovery because of Pong",
                "Recovery ended: success",
                "Pong ended: success", "Ping ended: success",
            ]
        )
    }

    @Test func aMiddlewareMayRefuseAnAction() async throws {
        var configuration = Bootstrap.Configuration()
        configuration.middleware = [PongRefusingMiddleware()]
        let cluster = try await Bootstrap(configuration: configuration) { answering() }

        let error = await #expect(throws: MessageError.self) { try await cluster.send(action: Ping()) }

        #expect(error?.code == .refused)
        #expect(journal.entries == ["before"])
    }

    @Test func anActionAfterItsDeadlineIsRefused() async throws {
        let clock = TestClock()
        var configuration = Bootstrap.Configuration()
        configuration.middleware = [PongRefusingMiddleware()]
        configuration.clock = clock
        let cluster = try await Bootstrap(configuration: configuration) { answering() }

        let error = await #expect(throws: MessageError.self) {
            try await MessageContext.withDeadline(clock.now) { try await cluster.send(action: Ping()) }
        }

        #expect(error?.code == .deadlineExceeded)
        #expect(journal.entries.isEmpty)
    }

    @Test func aSendThatOutlivesTheClusterThrowsReleased() async throws {
        let kept = Mutex<Send?>(nil)
        do {
            let cluster = try await Bootstrap {
                Store(model: Journal.self)
                    .mutate(on: Ping.self) { _, _, send in kept.withLock { $0 = send } }
                    .with(model: journal)
            }
            try await cluster.send(action: Ping())
        }

        let send = try #require(kept.withLock { $0 })
        let error = await #expect(throws: ServiceError.self) { try await send(Ping()) }

        #expect(error?.code == .released)
    }
}
