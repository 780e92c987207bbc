// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceTesting
import HeadraceWorkflows
import Testing

/// A workflow that waits for others.
private struct Parent: DurableWorkflow {
    static let workflowName = "parent"

    let children: [Int]

    func run(_ flow: WorkflowContext) async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { group in
            for child in children {
                group.addTask {
                    do {
                        return try await flow.run(Scripted(number: child), id: child)
                    } catch let error as WorkflowStepError {
                        return error.decode(as: Flaky.self) == nil ? "\(error)" : "flaky"
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted().joined(separator: ", ")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ChildWorkflowTests {
    private let bench: WorkflowBench

    init() throws { bench = try WorkflowBench() }

    private static let code: Scripted.Code = { scripted, flow in
        let number = scripted.number
        try await flow.transaction("note") { $0.insert(Line("child \(number)")) }
        switch number {
        case 1: return "one"
        case 2: throw Flaky()
        default: return try await flow.next(Sent.self).text
        }
    }

    private nonisolated(nonsending) func run<Result>(
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Container) async throws -> Result
    ) async throws -> Result {
        try await Scripted.$code.binding(Self.code) { try await bench.run([Parent.self, Scripted.self], body) }
    }

    @Test func `an instance waits for the results of others, in other processes, too`() async throws {
        try await run { relay, workflows, _ in
            try await workflows.start(Parent(children: [1, 2, 3]), id: 1)
            try await relay.untilIdle()
            let waits = try await workflows.status(of: Parent.self, id: 1)?.waits
            #expect(waits == ["the end of the workflow 'scripted/3'"])
        }
        try await run { relay, workflows, container in
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Sent(order: 3, text: "three")) }
            try await relay.untilIdle()
            #expect(try await workflows.result(of: Parent.self, id: 1) == "flaky, one, three")
        }
        #expect(try await bench.lines().sorted() == ["child 1", "child 2", "child 3"])
    }

    @Test func `an instance that has ended before gives its result at once`() async throws {
        try await run { relay, workflows, _ in
            try await workflows.start(Scripted(number: 1), id: 1)
            try await relay.untilIdle()
            try await workflows.start(Parent(children: [1]), id: 1)
            try await relay.untilIdle()
            #expect(try await workflows.result(of: Parent.self, id: 1) == "one")
        }
        #expect(try await bench.lines() == ["child 1"])
    }

    @Test func `the end of a terminated instance reaches the others`() async throws {
        try await run { relay, workflows, _ in
            try await workflows.start(Parent(children: [3]), id: 1)
            try await relay.untilIdle()
            try await workflows.terminate(Scripted.self, id: 3)
            try await relay.untilIdle()
            let result = try await workflows.result(of: Parent.self, id: 1)
            #expect(result.contains("An operator has ended the workflow 'scripted/3'"))
        }
    }
}
