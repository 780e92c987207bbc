// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

/// A workflow of which few instances run for each customer.
private struct Job: DurableWorkflow {
    static let workflowName = "job"
    static let receives: [WorkflowEvent<Job>] = [.event(Finish.self, by: \.number)]

    let number: Int
    var customer = "a"
    var limit = 1

    var concurrency: WorkflowConcurrency? { .atMost(limit, by: customer) }

    func run(_ flow: WorkflowContext) async throws {
        let number = number
        try await flow.transaction("begin") { $0.insert(Line("begin \(number)")) }
        if try await flow.next(Finish.self).fails { throw Flaky() }
    }
}

private struct Finish: DurableDomainEvent {
    static let eventName = "finish"
    let number: Int
    var fails = false
}

/// Another workflow, with one limit for all of its instances.
private struct Report: DurableWorkflow {
    static let workflowName = "report"

    var concurrency: WorkflowConcurrency? { .atMost(1) }

    func run(_ flow: WorkflowContext) async throws { try await flow.sleep(for: .seconds(60)) }
}

/// A workflow of which two instances run, whose first steps wait for each other.
private struct Meeting: DurableWorkflow {
    static let workflowName = "meeting"

    @TaskLocal static var gates: [Gate] = []

    let number: Int

    var concurrency: WorkflowConcurrency? { .atMost(2) }

    func run(_ flow: WorkflowContext) async throws {
        let number = number
        try await flow.transaction("meet") { _ in
            Meeting.gates[number].open()
            await Meeting.gates[1 - number].pass()
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct WorkflowConcurrencyTests {
    private let bench: WorkflowBench

    init() throws { bench = try WorkflowBench() }

    private nonisolated(nonsending) func run(
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Operator) async throws -> Void
    ) async throws {
        try await bench.run([Job.self, Report.self]) { relay, workflows, container in
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await body(relay, workflows, Operator(relay: relay, workflows: workflows, work: work))
        }
    }

    /// Starts and finishes instances, and looks at their states.
    struct Operator {
        let relay: TestRelay
        let workflows: Workflows
        let work: UnitOfWork<EntityContext>

        fileprivate nonisolated(nonsending) func start(_ numbers: Int..., customer: String = "a", limit: Int = 1)
            async throws
        {
            for number in numbers {
                try await workflows.start(Job(number: number, customer: customer, limit: limit), id: number)
            }
            try await relay.untilIdle()
        }

        nonisolated(nonsending) func finish(_ number: Int, fails: Bool = false) async throws {
            try await work.execute { $0.raiseEvent(Finish(number: number, fails: fails)) }
            try await relay.untilIdle()
        }

        nonisolated(nonsending) func ids(_ state: WorkflowState) async throws -> [String] {
            try await workflows.list(named: Job.workflowName, in: state).instances.map(\.id)
        }
    }

    /// The queues in the store.
    private nonisolated(nonsending) func queueCount() async throws -> Int {
        try await bench.store.fetch(DocumentQuery(kind: "headrace.workflow-queue")).count
    }

    @Test func `instances beyond the limit wait in the order of their starts`() async throws {
        try await run { _, _, shop in
            try await shop.start(5, 4, 3, 2, 1, limit: 2)
            #expect(try await shop.ids(.running) == ["4", "5"])
            #expect(try await shop.ids(.queued) == ["1", "2", "3"])
            for (number, lines) in [(4, 3), (3, 4), (5, 5), (2, 5), (1, 5)] {
                try await shop.finish(number)
                #expect(try await bench.lines().count == lines)
            }
        }
        let lines = try await bench.lines()
        #expect(Set(lines.prefix(2)) == ["begin 4", "begin 5"])
        #expect(lines.dropFirst(2) == ["begin 3", "begin 2", "begin 1"])
        #expect(try await queueCount() == 0)
    }

    @Test func `the first steps of instances that have places run at the same time`() async throws {
        try await Meeting.$gates.binding([Gate(), Gate()]) {
            try await bench.run([Meeting.self]) { relay, workflows, _ in
                for number in 0...1 { try await workflows.start(Meeting(number: number), id: number) }
                try await relay.untilIdle()
                #expect(try await workflows.list(in: .completed).instances.count == 2)
            }
        }
    }

    @Test func `each key has its own limit, also if one begins with the other`() async throws {
        try await run { _, workflows, shop in
            try await shop.start(1, 2, customer: "a")
            try await shop.start(3, 4, customer: "a/b")
            try await workflows.start(Report(), id: 1)
            try await workflows.start(Report(), id: 2)
            try await shop.finish(1)
            #expect(try await shop.ids(.running) == ["2", "3"])
            #expect(try await shop.ids(.queued) == ["4"])
            let second = try await workflows.status(of: Report.self, id: 2)
            #expect(second?.state == .queued)
            #expect(second?.waits == ["a place of the concurrency key ''"])
            #expect(try await workflows.status(of: Job.self, id: 4)?.waits == ["a place of the concurrency key 'a/b'"])
        }
    }

    @Test(arguments: ["complete", "fail", "cancel", "terminate"])
    func `an instance gives its place away however it ends`(end: String) async throws {
        try await run { relay, workflows, shop in
            try await shop.start(1, 2)
            switch end {
            case "complete": try await shop.finish(1)
            case "fail": try await shop.finish(1, fails: true)
            case "cancel": try await workflows.cancel(Job.self, id: 1)
            default: try await workflows.terminate(Job.self, id: 1)
            }
            try await relay.untilIdle()
            #expect(try await shop.ids(.running) == ["2"])
        }
    }

    @Test(arguments: [true, false])
    func `an instance that waits in line ends without having run`(isCancelled: Bool) async throws {
        try await run { relay, workflows, shop in
            try await shop.start(1, 2, 3)
            if isCancelled {
                try await workflows.cancel(Job.self, id: 2)
            } else {
                try await workflows.terminate(Job.self, id: 2)
            }
            #expect(try await shop.ids(isCancelled ? .cancelled : .terminated) == ["2"])
            try await shop.finish(1)
            #expect(try await shop.ids(.running) == ["3"])
        }
        #expect(try await bench.lines() == ["begin 1", "begin 3"])
    }

    @Test func `an event doesn't let an instance overtake, and isn't lost`() async throws {
        try await run { _, workflows, shop in
            try await shop.start(1, 2)
            try await shop.finish(2)
            try await workflows.retry(Job.self, id: 2)
            #expect(try await shop.ids(.queued) == ["2"])
            try await shop.finish(1)
            #expect(try await shop.ids(.completed) == ["1", "2"])
        }
    }

    @Test func `a retry and a fork stand in line`() async throws {
        try await run { relay, workflows, shop in
            try await shop.start(1, 2, 3)
            try await shop.finish(1, fails: true)
            try await workflows.retry(Job.self, id: 1)
            try await workflows.fork(Job.self, id: 2, from: 2, as: 4)
            try await relay.untilIdle()
            #expect(try await shop.ids(.queued) == ["1", "3", "4"])
            try await shop.finish(2)
            #expect(try await shop.ids(.running) == ["3"])
            // The retry receives the same event, and so it fails again and gives its place away.
            try await shop.finish(3)
            #expect(try await shop.ids(.failed) == ["1"])
            #expect(try await shop.ids(.running) == ["4"])
        }
    }

    @Test func `a later version of the program can raise the limit`() async throws {
        try await run { _, _, shop in
            try await shop.start(1, 2, limit: 1)
            try await shop.start(3, limit: 3)
            #expect(try await shop.ids(.running) == ["1"])
            try await shop.finish(1)
            #expect(try await shop.ids(.running) == ["2", "3"])
        }
    }

    @Test func `concurrent starts keep the limit`() async throws {
        try await run { relay, workflows, shop in
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask { try await workflows.start(Job(number: number, limit: 3), id: number) }
                }
                try await group.waitForAll()
            }
            try await relay.untilIdle()
            #expect(try await shop.ids(.running).count == 3)
            #expect(try await workflows.list(in: .queued, limit: 200).instances.count == 197)
        }
    }

    @Test func `a place isn't lost if an instance comes while another one ends`() async throws {
        try await run { _, _, shop in try await shop.start(1) }
        let store = InterruptedStore(bench.store) { [bench] in
            try await bench.run([Job.self]) { relay, workflows, _ in
                try await workflows.start(Job(number: 2), id: 2)
                try await relay.untilIdle()
                #expect(try await workflows.status(of: Job.self, id: 2)?.state == .queued)
            }
        }
        try await Workflows(on: store, delegator: RecordingDelegator()).terminate(Job.self, id: 1)
        try await run { relay, _, shop in
            try await relay.untilIdle()
            #expect(try await shop.ids(.running) == ["2"])
        }
    }

    @Test(arguments: 0..<20)
    func `after any order of starts and ends, the places are full or nobody waits`(seed: UInt64) async throws {
        try await run { relay, workflows, shop in
            var generator = SeededGenerator(seed: seed)
            var open: [Int] = []
            for number in 0..<30 {
                if let other = open.randomElement(using: &generator), Bool.random(using: &generator) {
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: try await workflows.cancel(Job.self, id: other)
                    case 1: try await workflows.terminate(Job.self, id: other)
                    default: try await shop.finish(other)
                    }
                    try await relay.untilIdle()
                } else {
                    try await shop.start(number, limit: 2)
                    open.append(number)
                }
                let running = try await shop.ids(.running)
                #expect(running.count <= 2)
                if try await !shop.ids(.queued).isEmpty { #expect(running.count == 2) }
            }
            for number in open { try await workflows.terminate(Job.self, id: number) }
        }
        #expect(try await queueCount() == 0)
        let order = try await bench.lines().compactMap { Int($0.dropFirst(6)) }
        #expect(order == order.sorted())
    }
}

/// A store that does something else before its first commit.
private final class InterruptedStore: StoreDecorator {
    let base: any DeliveryStore
    private let interruption: Mutex<(@Sendable () async throws -> Void)?>

    init(_ base: any DeliveryStore, by interruption: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.interruption = Mutex(interruption)
    }

    func commit(_ changes: ChangeSet) async throws {
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        try await interruption?()
        try await base.commit(changes)
    }
}
