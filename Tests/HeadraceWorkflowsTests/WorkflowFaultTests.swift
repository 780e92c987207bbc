// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

/// Lets commits fail, and a relay that was suspended go on too late.
@Suite(.timeLimit(.minutes(1))) struct WorkflowFaultTests {
    private static let rows = ["label 7", "refund 7", "refund 8", "survey"]

    @Test(arguments: FaultyStore.Fault.allCases)
    func `each commit that fails or whose answer is lost changes nothing`(fault: FaultyStore.Fault) async throws {
        var number = 0
        var hasFailed = true
        while hasFailed {
            number += 1
            let store = FaultyStore(
                try InMemoryStore(entities: [StoredWorkflow.self, Line.self]), fault, ofCommit: number)
            let bench = try WorkflowBench(store)
            try await bench.run([Errand.self]) { relay, workflows, _ in
                do {
                    try await workflows.start(Errand(order: 7), id: 7)
                } catch is StoreError {
                    try await workflows.start(Errand(order: 7), id: 7)
                }
                do {
                    try await relay.advance(by: .seconds(3_600))
                } catch let error as RelayError where fault == .lostAnswer {
                    // After a lost answer of the last commit, there is no delivery that could still succeed.
                    #expect(error.code == .handlerFailed)
                }
                #expect(try await workflows.result(of: Errand.self, id: 7) == 70, "commit \(number)")
            }
            #expect(try await bench.lines().sorted() == Self.rows, "commit \(number)")
            #expect(bench.outside.keys(of: "mail").count == 1)
            #expect(try await store.deliveryStatistics().pendingCount == 0)
            hasFailed = store.hasFailed
        }
        // The start and six steps.
        #expect(number >= 7)
    }

    @Test func `a turn reads its instance once`() async throws {
        let store = WatchedStore(try InMemoryStore(entities: [StoredWorkflow.self, Line.self]))
        let code: Scripted.Code = { _, flow in
            for text in ["a", "b", "c"] { try await flow.transaction(text) { $0.insert(Line(text)) } }
            return "d"
        }
        try await Scripted.$code.binding(code) {
            try await WorkflowBench(store).run([Scripted.self]) { relay, workflows, _ in
                let before = store.readCount
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                // The start has read it, too. The turn may begin before the start returns.
                #expect(store.readCount == before + 2)
                #expect(try await workflows.result(of: Scripted.self, id: 1) == "d")
            }
        }
    }

    @Test(arguments: ["b", "c"])
    func `a turn notices at its next commit that its instance was cancelled, and does no step twice`(
        step: String
    ) async throws {
        let bench = try WorkflowBench()
        let cancel = Mutex<(@Sendable () async throws -> Void)?>(nil)
        let code: Scripted.Code = { _, flow in
            for text in ["a", "b", "c", "d"] {
                try await flow.transaction(text) { context in
                    context.insert(Line(text))
                    if text == step, let cancel = cancel.withLock({ $0.take() }) { try await cancel() }
                }
            }
            return "e"
        }
        try await Scripted.$code.binding(code) {
            try await bench.run([Scripted.self]) { relay, workflows, _ in
                // Not in the unit of work of the step.
                cancel.withLock {
                    $0 = { try await Task.detached { try await workflows.cancel(Scripted.self, id: 1) }.value }
                }
                try await workflows.start(Scripted(), id: 1)
                try await relay.untilIdle()
                #expect(try await workflows.status(of: Scripted.self, id: 1)?.state == .cancelled)
            }
        }
        #expect(try await bench.lines().sorted() == ["a", "b", "c"].filter { $0 <= step })
    }

    @Test func `a turn that another relay goes on with meanwhile does no step twice`() async throws {
        let store = WatchedStore(try InMemoryStore(entities: [StoredWorkflow.self, Line.self]))
        let (late, other) = (try WorkflowBench(store), try WorkflowBench(store))
        let gates = ["b": Gate(), "c": Gate()]
        let held = Mutex<Set<String>>(["b", "c"])
        let code: Scripted.Code = { _, flow in
            for text in ["a", "b", "c"] {
                try await flow.transaction(text) { context in
                    context.insert(Line(text))
                    if held.withLock({ $0.remove(text) }) != nil { await gates[text]?.pass() }
                }
            }
            return "d"
        }
        try await Scripted.$code.binding(code) {
            try await late.run([Scripted.self]) { lateRelay, workflows, _ in
                try await workflows.start(Scripted(), id: 1)
                await gates["b"]?.arrivals(1)
                // The clock of the suspended relay stands still.
                other.clock.advance(by: .seconds(600))
                try await other.run([Scripted.self]) { relay, _, _ in
                    await gates["c"]?.arrivals(1)
                    gates["b"]?.open()
                    try await lateRelay.advance(by: .seconds(7_200))
                    gates["c"]?.open()
                    try await relay.advance(by: .seconds(7_200))
                }
                #expect(try await workflows.result(of: Scripted.self, id: 1) == "d")
            }
        }
        #expect(try await late.lines().sorted() == ["a", "b", "c"])
        #expect(!store.wasBlocked)
    }

    @Test(arguments: ["label", "mail"])
    func `a relay that goes on after its lease stores nothing twice`(call: String) async throws {
        let store = try InMemoryStore(entities: [StoredWorkflow.self, Line.self])
        let late = try WorkflowBench(store)
        let other = try WorkflowBench(store)
        let gate = Gate()
        late.outside.hold(call, at: gate)
        try await late.run([Errand.self]) { relay, workflows, _ in
            try await workflows.start(Errand(order: 7), id: 7)
            await gate.arrivals(1)
            // The clock of the suspended relay stands still.
            other.clock.advance(by: .seconds(600))
            try await other.run([Errand.self]) { relay, workflows, _ in
                try await relay.advance(by: .seconds(3_600))
                #expect(try await workflows.result(of: Errand.self, id: 7) == 70)
            }
            gate.open()
            try await relay.advance(by: .seconds(7_200))
        }
        #expect(try await late.lines().sorted() == Self.rows)
        #expect(late.outside.calls.contains(call) && other.outside.calls.contains(call))
        #expect(late.outside.keys(of: "mail").union(other.outside.keys(of: "mail")).count == 1)
        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }
}

/// Six steps: a command, a transaction, a call of another system, a pause, and two commands at the same time.
private struct Errand: DurableWorkflow {
    static let workflowName = "errand"

    let order: Int

    func run(_ flow: WorkflowContext) async throws -> Int {
        let label = try await flow.dispatch(PrintLabel(order: order))
        try await flow.transaction("survey") { $0.insert(Line("survey")) }
        try await flow.step("mail") { step in
            let outside = try step.resolve(Outside.self)
            await outside.arrive("mail")
            try outside.call("mail", key: step.idempotencyKey)
        }
        try await flow.sleep(for: .seconds(60))
        async let first: Void = flow.dispatch(Refund(order: order, payment: "P"))
        async let second: Void = flow.dispatch(Refund(order: order + 1, payment: "P"))
        _ = try await (first, second)
        return label
    }
}

/// A store of which one commit fails.
final class FaultyStore: StoreDecorator, ObservableStore {
    enum Fault: CaseIterable {
        /// Nothing is stored.
        case refusal

        /// The commit is stored, and its caller doesn't know.
        case lostAnswer
    }

    private let memory: InMemoryStore
    private let fault: Fault
    private let number: Int
    private let count = Mutex(0)

    init(_ memory: InMemoryStore, _ fault: Fault, ofCommit number: Int) {
        self.memory = memory
        self.fault = fault
        self.number = number
    }

    var base: any DeliveryStore { memory }

    var commitFeed: CommitFeed { memory.commitFeed }

    var hasFailed: Bool { count.withLock { $0 >= number } }

    func commit(_ changes: ChangeSet) async throws {
        let fails = count.withLock { count in
            count += 1
            return count == number
        }
        if fails, fault == .refusal { throw StoreError(code: .unreachable, message: "The test refuses the commit.") }
        try await base.commit(changes)
        if fails { throw StoreError(code: .outcomeUnknown, message: "The test loses the answer.") }
    }
}

/// A store that counts the reads of instances, and notes whether one was ever blocked.
final class WatchedStore: StoreDecorator, ObservableStore {
    private let memory: InMemoryStore
    private let state = Mutex((readCount: 0, wasBlocked: false))

    init(_ memory: InMemoryStore) {
        self.memory = memory
    }

    var base: any DeliveryStore { memory }

    var commitFeed: CommitFeed { memory.commitFeed }

    var readCount: Int { state.withLock { $0.readCount } }
    var wasBlocked: Bool { state.withLock { $0.wasBlocked } }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        if reference.kind == StoredWorkflow.entityName { state.withLock { $0.readCount += 1 } }
        return try await base.find(reference)
    }

    func commit(_ changes: ChangeSet) async throws {
        for write in changes.writes where write.document.reference.kind == StoredWorkflow.entityName {
            let instance: StoredWorkflow = try DocumentCoding.decode(write.document)
            if instance.state == .blocked { state.withLock { $0.wasBlocked = true } }
        }
        try await base.commit(changes)
    }
}
