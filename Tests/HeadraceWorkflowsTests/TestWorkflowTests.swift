// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

/// Code that can't be repeated.
private struct Wrong: DurableWorkflow {
    static let workflowName = "wrong"

    enum Mistake: String, Codable, CaseIterable {
        case countsCalls, branchesByChance, returnsTheDate, sendsTheDate, returnsAUUID
    }

    /// Counts the calls of the code in a test.
    @TaskLocal static var calls = Counter()

    let mistake: Mistake

    func run(_ flow: WorkflowContext) async throws -> String {
        let call = Self.calls.next()
        let date = ContinuousClock.now
        let chance = SystemValues.current.uuid()
        try await flow.transaction("first") { _ in }
        switch mistake {
        case .countsCalls:
            if call > 1 { try await flow.transaction("again") { _ in } }
        case .branchesByChance:
            try await flow.transaction("branch \(chance)") { _ in }
        case .returnsTheDate:
            try await flow.transaction("second") { _ in }
            return "\(date)"
        case .sendsTheDate:
            try await flow.dispatch(Refund(order: 1, payment: "\(date)"))
        case .returnsAUUID:
            try await flow.transaction("second") { _ in }
            return "\(chance)"
        }
        return "done"
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// A workflow that runs another, starts another round, and draws numbers.
private struct Long: DurableWorkflow {
    static let workflowName = "long"
    static let receives: [WorkflowEvent<Long>] = [.event(Packed.self) { $0.order }]

    var round = 1

    func run(_ flow: WorkflowContext) async throws -> [String] {
        if round == 1 {
            try await flow.transaction("round") { $0.insert(Line("round")) }
            try await flow.continueAsNew(Long(round: 2))
        }
        let child = try await flow.run(Short(), id: "child")
        let packed = try await flow.next(Packed.self)
        var random = flow.random
        let die = Int.random(in: 1...6, using: &random)
        let key = flow.uuid()
        let attempts = try await flow.step("flaky", retry: StepRetry(maximumAttempts: 3)) { step in
            try step.resolve(Outside.self).call("flaky", key: step.idempotencyKey)
            if step.attempt < 3 { throw Flaky() }
            return step.attempt
        }
        return [child, "\(packed.order)", "\(die)", "\(key)", "\(attempts)"]
    }
}

private struct Short: DurableWorkflow {
    static let workflowName = "short"

    func run(_ flow: WorkflowContext) async throws -> String {
        try await flow.transaction("note") { $0.insert(Line("child")) }
        try await flow.sleep(for: .seconds(60))
        return "short"
    }
}

@Suite(.timeLimit(.minutes(1))) struct TestWorkflowTests {
    private let dispatcher = RecordingDispatcher()
    private let outside = Outside()

    init() {
        dispatcher.stub(TakePayment.self) { _ in "P1" }
        dispatcher.stub(PrintLabel.self) { _ in 70 }
    }

    private var fulfilment: TestWorkflow<Fulfilment> {
        TestWorkflow(Fulfilment(order: 7), id: 7, dispatcher: dispatcher, entities: [Line.self]) { [outside] builder in
            builder.singleton(Outside.self) { outside }
        }
    }

    private nonisolated(nonsending) func drive(_ instance: TestWorkflow<Fulfilment>.Instance) async throws {
        try await instance.receive(Packed(order: 7))
        try await instance.advance(by: .seconds(30 * 86_400))
        #expect(try await instance.result() == Receipt(order: 7, payment: "P1"))
        #expect(try await instance.execute { try await $0.fetch(Line.self).map(\.text) } == ["survey 7"])
    }

    @Test func `runs an instance to its result and tells its steps`() async throws {
        try await fulfilment.run { instance in
            #expect(try await instance.steps() == ["the command 'take-payment'"])
            #expect(try await instance.waits() == ["the wait for 'packed'"])
            try await drive(instance)
            #expect(
                try await instance.steps() == [
                    "the command 'take-payment'", "the wait for 'packed'", "the command 'print-label'",
                    "the step 'mail'", "a pause", "the transaction 'survey'",
                ])
            #expect(try await instance.waits().isEmpty)
        }
        #expect(dispatcher.dispatched(TakePayment.self) == [TakePayment(order: 7, amount: 100)])
        #expect(outside.calls == ["mail"])
    }

    @Test func `each run begins with an empty store`() async throws {
        for _ in 1...2 { try await fulfilment.run(drive) }
        #expect(dispatcher.dispatched(TakePayment.self).count == 2)
    }

    @Test func `an instance that waits has no result`() async throws {
        try await fulfilment.run { instance in
            let error = await #expect(throws: TestWorkflowError.self) { try await instance.result() }
            #expect(error?.code == .notEnded)
            #expect(error?.message.contains("The workflow 'fulfilment/7' has no result yet") == true)
        }
    }

    @Test func `a cancelled instance compensates`() async throws {
        try await fulfilment.crashAfterEachStep { instance in
            try await instance.cancel()
            #expect(try await instance.status().state == .cancelled)
            #expect(try await instance.steps().last == "the command 'refund'")
        }
    }

    @Test func `the time passes for an event that doesn't come`() async throws {
        try await fulfilment.crashAfterEachStep { instance in
            try await instance.advance(by: .seconds(3 * 86_400))
            let error = await #expect(throws: WorkflowError.self) { try await instance.result() }
            #expect(error?.cause?.decode(as: NotPacked.self) == NotPacked())
        }
    }

    @Test func `crashes after each step change nothing of right code`() async throws {
        try await fulfilment.crashAfterEachStep { try await drive($0) }
        #expect(Set(dispatcher.dispatched(TakePayment.self)).count == 1)
    }

    @Test func `crashes change nothing of other workflows, new rounds, attempts, and random numbers`() async throws {
        let long = TestWorkflow(Long(), id: 7, workflows: [Short.self], entities: [Line.self]) { [outside] builder in
            builder.singleton(Outside.self) { outside }
        }
        try await long.crashAfterEachStep { instance in
            try await instance.receive(Packed(order: 7))
            try await instance.advance(by: .seconds(3_600))
            #expect(try await instance.result().first == "short")
            #expect(try await instance.result().last == "3")
        }
        // One key in each of the two runs, and the same seed gives the same key.
        #expect(outside.keys(of: "flaky").count == 1)
        #expect(outside.calls.count >= 6)
    }

    @Test func `a crash repeats a closure with the same idempotency key`() async throws {
        try await fulfilment.crashAfterEachStep { try await drive($0) }
        #expect(outside.calls.count > 2)
        #expect(outside.keys(of: "mail").count == 1)
    }

    @Test(arguments: Wrong.Mistake.allCases)
    private func `crashes find code that can't be repeated`(mistake: Wrong.Mistake) async throws {
        let wrong = TestWorkflow(Wrong(mistake: mistake), id: 1, dispatcher: dispatcher)
        try await Wrong.$calls.binding(Counter()) {
            // Without a crash, all seems well.
            let state = try await wrong.run { try await $0.status().state }
            #expect(state == .completed)
        }
        await Wrong.$calls.binding(Counter()) {
            let error = await #expect(throws: TestWorkflowError.self) { try await wrong.crashAfterEachStep { _ in } }
            #expect(error?.code == (mistake == .branchesByChance ? .blocked : .differs))
        }
    }
}
