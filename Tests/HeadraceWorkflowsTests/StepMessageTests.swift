// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

/// Notes the messages that it sees, and calls the next handler once or several times.
private final class Notes: Middleware {
    private let notes = Mutex<[String]>([])
    private let calls: Int

    init(calls: Int = 1) {
        self.calls = calls
    }

    var all: [String] { notes.withLock(\.self) }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if context.kind == .step { notes.withLock { $0.append("\(context.name) \(context.attempt)") } }
        for _ in 1..<calls {
            do {
                return try await next(message)
            } catch {
                continue
            }
        }
        return try await next(message)
    }
}

/// Middleware of the relay, with a workflow.
@Suite(.timeLimit(.minutes(1))) struct StepMessageTests {
    @Test func `each attempt at a step is a message, which the message of the turn has caused`() async throws {
        let notes = Notes()
        let causes = Causes()
        let bench = try WorkflowBench(middleware: [notes, causes])
        bench.outside.fail("mail", with: [Flaky()])
        try await bench.run { relay, workflows, container in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.untilIdle()
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Packed(order: 7)) }
            try await relay.advance(by: .seconds(31 * 86_400))
            #expect(try await workflows.status(of: Fulfilment.self, id: 7)?.state == .completed)
        }
        #expect(
            notes.all.sorted() == [
                "fulfilment/mail 1", "fulfilment/mail 2", "fulfilment/print-label 1", "fulfilment/survey 1",
                "fulfilment/take-payment 1",
            ])
        #expect(causes.areTurns)
    }

    @Test func `middleware that tries again repeats a closure, and never half of a unit of work`() async throws {
        let bench = try WorkflowBench(middleware: [Notes(calls: 3)])
        bench.outside.fail("refund", with: [Flaky()])
        bench.outside.fail("call", with: [Flaky()])
        let code: Scripted.Code = { _, flow in
            try await flow.step("call") { try $0.resolve(Outside.self).call("call") }
            try await flow.dispatch(Refund(order: 7, payment: "P"))
            return "done"
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                try await relay.advance(by: .seconds(60))
                #expect(try await workflows.result(of: Scripted.self, id: 1) == "done")
            }
        }
        #expect(try await bench.lines() == ["refund 7"])
        #expect(bench.outside.calls == ["call", "call", "refund", "refund"])
    }
}

/// Looks whether each step has a turn as its cause.
private final class Causes: Middleware {
    private let state = Mutex((turns: Set<UUID>(), areTurns: true))

    var areTurns: Bool { state.withLock(\.areTurns) }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        state.withLock { state in
            if context.kind == .step {
                state.areTurns = state.areTurns && context.causationID.map { state.turns.contains($0) } == true
            } else {
                state.turns.insert(context.id)
            }
        }
        return try await next(message)
    }
}
