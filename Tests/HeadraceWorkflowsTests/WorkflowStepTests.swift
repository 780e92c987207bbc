// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

/// A workflow whose steps the test supplies.
struct Scripted: DurableWorkflow {
    static let workflowName = "scripted"
    static let receives: [WorkflowEvent<Scripted>] = [.event(Packed.self) { $0.order }, .event(Sent.self) { $0.order }]

    typealias Code = @Sendable (Scripted, WorkflowContext) async throws -> String

    @TaskLocal static var code: Code = { _, _ in "" }

    var number = 1

    func run(_ flow: WorkflowContext) async throws -> String { try await Self.code(self, flow) }
}

struct Sent: DurableDomainEvent {
    static let eventName = "sent"
    let order: Int
    let text: String
}

struct Flaky: Error, Codable, Hashable {}

@Suite(.timeLimit(.minutes(1))) struct WorkflowStepTests {
    private let bench: WorkflowBench

    init() throws { bench = try WorkflowBench() }

    /// Starts an instance of `code`, lets the test go on, and returns the last state.
    @discardableResult
    private nonisolated(nonsending) func run(
        _ code: @escaping Scripted.Code,
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Container) async throws -> Void = { _, _, _ in }
    ) async throws -> WorkflowStatus {
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, container in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                try await body(relay, workflows, container)
                try await relay.untilIdle()
                return try #require(try await workflows.status(of: Scripted.self, id: 1))
            }
        }
    }

    private nonisolated(nonsending) func raise(_ events: [any DurableDomainEvent], _ container: Container) async throws
    {
        let work: UnitOfWork<EntityContext> = container.resolve()
        try await work.execute { context in
            for event in events { context.raiseEvent(event, for: EntityReference(kind: "order", key: "1")) }
        }
    }

    private nonisolated(nonsending) func result() async throws -> String? {
        try await bench.run([Scripted.self]) { _, workflows, _ in
            try await workflows.result(of: Scripted.self, id: 1)
        }
    }

    // MARK: Events

    @Test func `events are received in order and once, also those that came before the wait`() async throws {
        let code: Scripted.Code = { _, flow in
            try await flow.sleep(for: .seconds(60))
            var texts: [String] = []
            for _ in 1...3 { texts.append(try await flow.next(Sent.self).text) }
            return texts.joined(separator: " ")
        }
        try await run(code) { relay, _, container in
            try await raise([Sent(order: 1, text: "a"), Sent(order: 1, text: "b")], container)
            try await relay.advance(by: .seconds(60))
            try await raise([Sent(order: 1, text: "c"), Sent(order: 1, text: "d")], container)
        }
        #expect(try await result() == "a b c")
    }

    @Test func `two types of events wait for their own turn`() async throws {
        let code: Scripted.Code = { _, flow in
            async let packed = flow.next(Packed.self)
            async let sent = flow.next(Sent.self)
            return "\(try await packed.order) \(try await sent.text)"
        }
        try await run(code) { relay, _, container in
            try await raise([Sent(order: 1, text: "a")], container)
            try await relay.untilIdle()
            try await raise([Packed(order: 1)], container)
        }
        #expect(try await result() == "1 a")
    }

    @Test func `an event of another instance is ignored`() async throws {
        let status = try await run({ _, flow in try await flow.next(Sent.self).text }) { _, _, container in
            try await raise([Sent(order: 2, text: "a")], container)
        }
        #expect(status.state == .running)
    }

    @Test func `an event in time ends the wait, and no other step`() async throws {
        let code: Scripted.Code = { _, flow in
            let first = try await flow.next(Sent.self, within: .seconds(60))
            let second = try await flow.next(Sent.self, within: .seconds(60))
            return "\(first?.text ?? "none") \(second?.text ?? "none")"
        }
        try await run(code) { relay, _, container in
            try await relay.advance(by: .seconds(59))
            try await raise([Sent(order: 1, text: "a")], container)
            try await relay.untilIdle()
            try await relay.advance(by: .seconds(59))
            #expect(try await EntityContext(bench.store).count(StoredWorkflow.self) == 1)
            try await relay.advance(by: .seconds(1))
        }
        #expect(try await result() == "a none")
    }

    // MARK: Failures

    @Test func `a failing step is repeated with one key, and the attempts are counted`() async throws {
        bench.outside.fail("call", with: [Flaky(), Flaky()])
        let attempts = Mutex<[Int]>([])
        let code: Scripted.Code = { _, flow in
            try await flow.step("call", retry: StepRetry(maximumAttempts: 3)) { step in
                attempts.withLock { $0.append(step.attempt) }
                try step.resolve(Outside.self).call("call", key: step.idempotencyKey)
                return "done"
            }
        }
        try await run(code) { relay, workflows, _ in
            let status = try #require(try await workflows.status(of: Scripted.self, id: 1))
            #expect(status.failure?.decode(as: Flaky.self) == Flaky())
            try await relay.advance(by: .seconds(10))
        }
        #expect(try await result() == "done")
        #expect(attempts.withLock { $0 } == [1, 2, 3])
        #expect(bench.outside.keys(of: "call").count == 1)
    }

    @Test func `the error reaches the code after the last attempt`() async throws {
        bench.outside.fail("call", with: [Flaky(), Flaky(), Flaky()])
        let code: Scripted.Code = { _, flow in
            do {
                try await flow.step("call", retry: StepRetry(maximumAttempts: 2)) { step in
                    try step.resolve(Outside.self).call("call")
                }
                return "done"
            } catch let error as WorkflowStepError {
                return "\(error.step) \(error.decode(as: Flaky.self) == Flaky())"
            }
        }
        try await run(code) { relay, _, _ in try await relay.advance(by: .seconds(10)) }
        #expect(try await result() == "1 true")
        #expect(bench.outside.calls.count == 2)
    }

    @Test func `a failing transaction stores nothing, and others go on meanwhile`() async throws {
        let code: Scripted.Code = { _, flow in
            async let failing: Void = flow.transaction("failing", retry: .never) { context in
                context.insert(Line("lost"))
                throw Flaky()
            }
            async let other: Void = flow.transaction("other") { context in context.insert(Line("kept")) }
            try await other
            do {
                try await failing
                return "stored"
            } catch {
                return "failed"
            }
        }
        try await run(code)
        #expect(try await result() == "failed")
        #expect(try await bench.lines() == ["kept"])
    }

    @Test func `a transaction that fails directly after an event isn't repeated without being counted`() async throws {
        let outside = bench.outside
        outside.fail("failing", with: [Flaky(), Flaky()])
        let code: Scripted.Code = { _, flow in
            let text = try await flow.next(Sent.self).text
            do {
                try await flow.transaction("failing", retry: .never) { _ in try outside.call("failing") }
                return "stored"
            } catch {
                return "\(text), failed"
            }
        }
        try await run(code) { _, _, container in try await raise([Sent(order: 1, text: "sent")], container) }
        #expect(try await result() == "sent, failed")
        #expect(outside.calls == ["failing"])
    }

    @Test func `a transaction whose commit is refused counts as failed`() async throws {
        let id = UUID()
        let code: Scripted.Code = { _, flow in
            try await flow.transaction("first") { $0.insert(Numbered(id: id, text: "first")) }
            do {
                try await flow.transaction("second", retry: .never) { $0.insert(Numbered(id: id, text: "second")) }
                return "stored"
            } catch {
                return "refused"
            }
        }
        let bench = try WorkflowBench(InMemoryStore(entities: [StoredWorkflow.self, Line.self, Numbered.self]))
        let result = try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                return try await workflows.result(of: Scripted.self, id: 1)
            }
        }
        #expect(result == "refused")
    }

    // MARK: Control

    @Test func `steps at the same time overlap`() async throws {
        let gates = [Gate(), Gate()]
        let code: Scripted.Code = { _, flow in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0...1 {
                    group.addTask {
                        try await flow.step("overlap") { _ in
                            gates[index].open()
                            await gates[1 - index].pass()
                            return index
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted().description
            }
        }
        try await run(code)
        #expect(try await result() == "[0, 1]")
    }

    @Test func `a pause ends while a step runs`() async throws {
        let gate = Gate()
        let code: Scripted.Code = { _, flow in
            async let step: String = flow.step("long") { _ in
                await gate.pass()
                return "long"
            }
            try await flow.sleep(for: .seconds(60))
            try await flow.transaction("after the pause") { context in
                context.insert(Line("paused"))
                gate.open()
            }
            return try await step
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                await gate.arrivals(1)
                bench.clock.advance(by: .seconds(61))
                #expect(try await workflows.result(of: Scripted.self, id: 1) == "long")
            }
        }
    }

    @Test func `terminating ends an instance without running its code`() async throws {
        let code: Scripted.Code = { _, flow in
            do {
                return try await flow.next(Sent.self).text
            } catch {
                try await flow.transaction("compensation") { $0.insert(Line("compensated")) }
                return ""
            }
        }
        let status = try await run(code) { relay, workflows, container in
            try await workflows.terminate(Scripted.self, id: 1)
            try await raise([Sent(order: 1, text: "late")], container)
            try await relay.untilIdle()
        }
        #expect(status.state == .terminated)
        #expect(try await bench.lines().isEmpty)
    }

    @Test func `a new round begins with an empty journal and the events that weren't received`() async throws {
        let code: Scripted.Code = { scripted, flow in
            let text = try await flow.next(Sent.self).text
            let number = scripted.number
            try await flow.transaction("note") { $0.insert(Line("\(text) \(number)")) }
            if scripted.number == 3 { return "end" }
            try await flow.continueAsNew(Scripted(number: scripted.number + 1))
        }
        let status = try await run(code) { _, _, container in
            try await raise(["a", "b", "c"].map { Sent(order: 1, text: $0) }, container)
        }
        #expect(try await result() == "end")
        #expect(try await bench.lines() == ["a 1", "b 2", "c 3"])
        #expect(status.stepCount == 2)
    }

    @Test func `a fork does the steps from the given one again, with keys of its own`() async throws {
        let code: Scripted.Code = { _, flow in
            for name in ["one", "two", "three"] {
                try await flow.step(name) { try $0.resolve(Outside.self).call(name, key: $0.idempotencyKey) }
            }
            return "\(try await flow.transaction("end") { _ in 4 }) \(flow.uuid())"
        }
        try await run(code) { relay, workflows, _ in
            #expect(try await workflows.fork(Scripted.self, id: 1, from: 2, as: 2))
            #expect(try await !workflows.fork(Scripted.self, id: 1, from: 2, as: 2))
            try await relay.untilIdle()
            let original = try await workflows.result(of: Scripted.self, id: 1)
            #expect(try await workflows.result(of: Scripted.self, id: 2) == original)
        }
        #expect(bench.outside.calls == ["one", "two", "three", "two", "three"])
        #expect(bench.outside.keys(of: "two").count == 2)
    }

    @Test func `instances are listed by name and state, page by page, and removed after their end`() async throws {
        try await Scripted.$code.binding({ scripted, flow in
            if scripted.number.isMultiple(of: 2) { return "" }
            return try await flow.next(Sent.self).text
        }) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                for number in 1...9 { try await workflows.start(Scripted(number: number), id: number) }
                try await relay.untilIdle()
                let first = try await workflows.list(named: "scripted", in: .running, limit: 3)
                let second = try await workflows.list(named: "scripted", in: .running, after: first.next, limit: 3)
                #expect((first.instances + second.instances).map(\.id) == ["1", "3", "5", "7", "9"])
                #expect(second.next == nil)
                #expect(try await workflows.list(named: "other").instances.isEmpty)
                bench.clock.advance(by: .seconds(1))
                #expect(try await workflows.removeEnded(before: bench.clock.date, batchLimit: 3) == 4)
                #expect(try await workflows.list().instances.count == 5)
            }
        }
    }

    @Test func `time, UUIDs, and random numbers are the same in each replay`() async throws {
        let seen = Mutex<[[String]]>([])
        let code: Scripted.Code = { _, flow in
            var values: [String] = []
            for number in 1...5 {
                var random = flow.random
                values += ["\(flow.now)", "\(flow.uuid())", "\(Int.random(in: 0...1_000_000, using: &random))"]
                let copy = values
                seen.withLock { $0.append(copy) }
                try await flow.sleep(for: .seconds(number))
            }
            return ""
        }
        try await run(code) { relay, _, _ in try await relay.advance(by: .seconds(60)) }
        let all = seen.withLock { $0 }
        let last = try #require(all.last)
        #expect(all.count > 5)
        #expect(Set(last).count == last.count)
        for values in all { #expect(values == Array(last.prefix(values.count))) }
    }

    @Test func `code that catches everything in a loop ends where it is`() async throws {
        let code: Scripted.Code = { _, flow in
            while true { _ = try? await flow.next(Sent.self) }
        }
        let status = try await run(code)
        #expect(status.waits == ["the wait for 'sent'"])
    }
}

/// An entity whose identifier the test chooses.
final class Numbered: StoredEntity {
    static let entityName = "numbered"
    let id: UUID
    let text: String
    var raisedEvents = RaisedEvents()

    init(id: UUID, text: String) {
        self.id = id
        self.text = text
    }
}
