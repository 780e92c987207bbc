// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

private struct Other: DurableWorkflow {
    static let workflowName = "other"
    let text: String

    func run(_ flow: WorkflowContext) async throws {}
}

private struct OneChild: DurableWorkflow {
    static let workflowName = "one-child"

    func run(_ flow: WorkflowContext) async throws -> String { try await flow.run(Scripted(number: 1), id: 1) }
}

/// What operators and the code itself do with an instance.
@Suite(.timeLimit(.minutes(1))) struct WorkflowControlTests {
    @Test func `a retry keeps the events that the removed steps had received`() async throws {
        let bench = try WorkflowBench()
        bench.outside.fail("call", with: [Flaky()])
        let code: Scripted.Code = { _, flow in
            async let event = flow.next(Sent.self)
            async let call: Void = flow.step("call", retry: .never) { try $0.resolve(Outside.self).call("call") }
            let text = try await event.text
            try await call
            return text
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, container in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                let work: UnitOfWork<EntityContext> = container.resolve()
                try await work.execute { $0.raiseEvent(Sent(order: 1, text: "a")) }
                try await relay.untilIdle()
                #expect(try await workflows.status(of: Scripted.self, id: 1)?.state == .failed)
                try await workflows.retry(Scripted.self, id: 1)
                try await relay.untilIdle()
                let status = try await workflows.status(of: Scripted.self, id: 1)
                #expect(status?.state == .completed, "\(status?.waits ?? [])")
            }
        }
    }

    @Test func `a failed instance keeps an event for its retry`() async throws {
        let bench = try WorkflowBench()
        bench.outside.fail("call", with: [Flaky()])
        let code: Scripted.Code = { _, flow in
            try await flow.step("call", retry: .never) { try $0.resolve(Outside.self).call("call") }
            return try await flow.next(Sent.self).text
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, container in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                let work: UnitOfWork<EntityContext> = container.resolve()
                try await work.execute { $0.raiseEvent(Sent(order: 1, text: "a")) }
                try await relay.untilIdle()
                try await workflows.retry(Scripted.self, id: 1)
                try await relay.untilIdle()
                #expect(try await workflows.status(of: Scripted.self, id: 1)?.state == .completed)
            }
        }
    }

    @Test func `a fork from the wait for a child receives its end`() async throws {
        let bench = try WorkflowBench()
        try await Scripted.$code.binding({ _, _ in "one" }) {
            try await bench.run([Scripted.self, OneChild.self]) { relay, workflows, _ in
                try await workflows.start(OneChild(), id: 1)
                try await relay.untilIdle()
                #expect(try await workflows.status(of: OneChild.self, id: 1)?.state == .completed)
                try await workflows.fork(OneChild.self, id: 1, from: 2, as: 2)
                try await relay.untilIdle()
                let status = try await workflows.status(of: OneChild.self, id: 2)
                #expect(status?.state == .completed, "\(status?.waits ?? [])")
            }
        }
    }

    @Test func `an instance continues only as its own workflow`() async throws {
        let bench = try WorkflowBench()
        let code: Scripted.Code = { scripted, flow in try await flow.continueAsNew(Other(text: "a")) }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                let status = try await workflows.status(of: Scripted.self, id: 1)
                #expect(status?.state == .blocked)
                #expect(status?.mistake?.contains("can't continue as") == true)
            }
        }
    }

    @Test func `a caught cancellation of an instance lets it complete`() async throws {
        let bench = try WorkflowBench()
        let code: Scripted.Code = { _, flow in
            do { return try await flow.next(Sent.self).text } catch { return "caught" }
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                try await workflows.cancel(Scripted.self, id: 1)
                try await relay.untilIdle()
                let status = try await workflows.status(of: Scripted.self, id: 1)
                #expect(status?.state == .completed, "\(status?.mistake ?? "")")
            }
        }
    }
}
