// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import Synchronization
import Testing

/// Middleware around actions: the three steps of `ActionMiddleware`, and other middleware.
@Suite struct MiddlewareTests {
    @Test func theThreeStepsAreTakenAroundEachActionInItsTurn() async throws {
        let steps = Steps()
        let ledger = Ledger(middlewares: [steps])

        await ledger.dispatch(Note("a"))
        await #expect(throws: Failure()) {
            try await ledger.dispatch(Perform { _ in throw Failure() }) as Void
        }

        #expect(steps.taken == ["should", "will", "success", "should", "will", "failure Failure()"])
    }

    @Test func aRefusedActionFailsAndTheNextActionRuns() async throws {
        let steps = Steps(refusing: 1)
        let ledger = Ledger(middlewares: [steps])

        let outcome = await ledger.dispatch(Note("refused"))
        await ledger.dispatch(Note("next"))

        guard case .failure(let error as MessageError) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.code == .refused)
        #expect(error.message.contains("Note' was refused by the middleware 'Steps'"))
        #expect(ledger.entries == ["next"])
        #expect(steps.taken == ["should", "should", "will", "success"])
    }

    @Test func theOutermostMiddlewareIsFirstBeforeAndLastAfterAnAction() async throws {
        let order = Mutex<[String]>([])
        let ledger = Ledger(
            middlewares: ["a", "b"].map { name in Named(name: name) { entry in order.withLock { $0.append(entry) } } })

        await ledger.dispatch(Note("x"))

        #expect(order.withLock { $0 } == ["a should", "a will", "b should", "b will", "b did", "a did"])
    }

    @Test func anActionIsAMessageCausedByTheEnclosingAction() async throws {
        let contexts = Mutex<[MessageContext]>([])
        let ledger = Ledger(middlewares: [Steps()])
        @Sendable func keep() { if let context = MessageContext.current { contexts.withLock { $0.append(context) } } }

        try await ledger.dispatch(
            Perform { ledger in
                keep()
                try await ledger.dispatch(Perform { _ in keep() }) as Void
            }
        ) as Void

        let (outer, inner) = contexts.withLock { ($0[0], $0[1]) }
        #expect(outer.kind == .action && outer.causationID == nil)
        #expect(inner.causationID == outer.id && inner.correlationID == outer.correlationID)
    }

    @Test func observersOfThePipelineAreNotifiedOfEachAction() async throws {
        let observer = Observer()
        let ledger = Ledger(Pipeline(observers: [observer]))

        await ledger.dispatch(Note("a"))
        await #expect(throws: Failure()) {
            try await ledger.dispatch(Perform { _ in throw Failure() }) as Void
        }

        #expect(observer.outcomes.withLock { $0 } == ["success", "failure"])
    }
}

private final class Steps: ActionMiddleware {
    private let steps = Mutex<[String]>([])
    private let refusals: Mutex<Int>

    init(refusing count: Int = 0) { refusals = Mutex(count) }

    var taken: [String] { steps.withLock { $0 } }

    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
        steps.withLock { $0.append("should") }
        return refusals.withLock { count in
            count -= 1
            return count < 0
        }
    }

    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {
        steps.withLock { $0.append("will") }
    }

    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome) {
        steps.withLock { steps in
            switch outcome {
            case .success: steps.append("success")
            case .failure(let error): steps.append("failure \(error)")
            }
        }
    }
}

private struct Named: ActionMiddleware {
    let name: String
    let note: @Sendable (String) -> Void

    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
        note("\(name) should")
        return true
    }

    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) { note("\(name) will") }

    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome) {
        note("\(name) did")
    }
}

private final class Observer: MessageObserver {
    let outcomes = Mutex<[String]>([])

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        let name = if case .success = outcome { "success" } else { "failure" }
        outcomes.withLock { $0.append(name) }
    }
}
