// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceWorkflows

/// The code of an instance, without a store.
@Suite struct WorkflowReplayTests {
    private func replay(_ body: @escaping @Sendable (WorkflowContext) async throws -> Void) -> WorkflowReplay {
        let replay = WorkflowReplay(startedAt: .distantPast, seed: 1, changes: [], isNew: true)
        let flow = WorkflowContext(id: "1", instance: "test/1", replay: replay)
        replay.start {
            try await body(flow)
            return Data()
        }
        return replay
    }

    private static func record(_ step: WorkflowReplay.Step) -> WorkflowRecord {
        WorkflowRecord(step: step.number, kind: step.kind, name: step.name, date: .distantPast)
    }

    /// Branches of a tree of tasks, each with some steps.
    @Sendable private static func tree(_ depth: Int, _ flow: WorkflowContext, name: String) async throws {
        try await flow.transaction("\(name) begins") { _ in }
        if depth > 0 {
            try await withThrowingTaskGroup { group in
                for branch in 0..<3 {
                    group.addTask { try await tree(depth - 1, flow, name: "\(name).\(branch)") }
                }
                try await group.waitForAll()
            }
        } else {
            async let left: Void = flow.transaction("\(name) left") { _ in }
            async let right: Void = flow.transaction("\(name) right") { _ in }
            _ = try await (left, right)
        }
        try await flow.transaction("\(name) ends") { _ in }
    }

    @Test(arguments: UInt64(0)..<100)
    func `steps of a tree of tasks have the same numbers in each replay, in every order of their results`(
        _ seed: UInt64
    ) throws {
        var numbers = SplitMix(seed: seed)
        let first = replay { try await Self.tree(2, $0, name: "t") }
        defer { first.drop() }
        var journal: [(name: String, record: WorkflowRecord)] = []
        while let step = first.steps.randomElement(using: &numbers) {
            journal.append((step.name, Self.record(step)))
            first.apply(Self.record(step))
        }
        #expect(first.outcome != nil)
        #expect(first.mistake == nil)
        // Up to any record, another replay asks for the same steps.
        let count = Int.random(in: 0...journal.count, using: &numbers)
        let second = replay { try await Self.tree(2, $0, name: "t") }
        defer { second.drop() }
        for (name, record) in journal.prefix(count) {
            #expect(second.steps.first { $0.number == record.step }?.name == name)
            second.apply(record)
        }
        #expect(second.mistake == nil)
        #expect((second.outcome != nil) == (count == journal.count))
    }

    @Test func `the code of a dropped instance ends, and nothing of it stays in memory`() async {
        final class Witness: Sendable {}
        weak var witness: Witness?
        weak var replay: WorkflowReplay?
        do {
            let object = Witness()
            let dropped = self.replay { [object] flow in
                defer { withExtendedLifetime(object) {} }
                do {
                    async let other: Void = flow.sleep(for: .seconds(1))
                    try await flow.sleep(for: .seconds(1))
                    try await other
                } catch {
                    try await flow.sleep(for: .seconds(1))
                }
            }
            (witness, replay) = (object, dropped)
            #expect(dropped.steps.count == 2)
            dropped.drop()
        }
        #expect(witness == nil)
        #expect(replay == nil)
    }

    @Test func `cancellation reaches each step that waits, once`() {
        let replay = replay { flow in
            do {
                async let other: Void = flow.sleep(for: .seconds(1))
                try await flow.sleep(for: .seconds(1))
                try await other
            } catch is CancellationError {
                try await flow.transaction("compensation") { _ in }
            }
        }
        defer { replay.drop() }
        replay.apply(WorkflowRecord(step: 0, kind: .cancellation, name: "", date: .distantPast))
        #expect(replay.steps.map(\.name) == ["compensation"])
        #expect(replay.mistake == nil)
    }

    @Test func `a wait for anything but a step is a mistake`() {
        let gate = Gate()
        let replay = replay { flow in
            await gate.pass()
            try await flow.sleep(for: .seconds(1))
        }
        #expect(replay.mistake?.contains("isn't a step") == true)
        replay.drop()
        gate.open()
    }

    @Test func `a resumption by anything but a step is a mistake, also while the code waits for steps`() {
        let gate = Gate()
        let replay = replay { flow in
            async let pause: Void = flow.sleep(for: .seconds(1))
            await gate.pass()
            try await pause
        }
        defer { replay.drop() }
        #expect(replay.mistake == nil)
        gate.open()
        if let step = replay.steps.first { replay.apply(Self.record(step)) }
        #expect(replay.mistake?.contains("isn't a step") == true)
    }
}
