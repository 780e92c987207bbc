// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

/// A workflow whose code the test replaces while an instance is in flight.
struct Changing: DurableWorkflow {
    static let workflowName = "changing"
    static let receives: [WorkflowEvent<Changing>] = [.event(Packed.self) { $0.order }]

    /// The code.
    @TaskLocal static var code: [Part] = []

    /// What the code waits for if it waits for another thing than a step.
    @TaskLocal static var gate = Gate()

    /// Whether this version of the program can read the input.
    @TaskLocal static var isReadable = true

    var order = 1

    init() {}

    init(from decoder: any Decoder) throws {
        order = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .order)
        if !Self.isReadable {
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "unreadable"))
        }
    }

    func run(_ flow: WorkflowContext) async throws { try await Self.run(Self.code, flow) }

    /// A piece of code.
    indirect enum Part: Sendable {
        case transaction(String)
        case number(String)
        case step(String)
        case command(Int)
        case sleep(Int)
        case event(within: Int?)
        case together([[Part]])
        case changed(String, new: [Part], old: [Part])
        case end
        case fail
        case random
        case unmanaged
    }

    private struct End: Error {}

    private static func run(_ parts: [Part], _ flow: WorkflowContext) async throws {
        for part in parts {
            switch part {
            case .transaction(let name):
                let _: String = try await flow.transaction(name) { context in
                    context.insert(Line(name))
                    return name
                }
            case .number(let name):
                let _: Int = try await flow.transaction(name) { context in
                    context.insert(Line(name))
                    return 1
                }
            case .step(let name):
                let _: String = try await flow.step(name) { _ in name }
            case .command(let order):
                try await flow.dispatch(Refund(order: order, payment: ""))
            case .sleep(let seconds):
                try await flow.sleep(for: .seconds(seconds))
            case .event(let seconds):
                if let seconds {
                    _ = try await flow.next(Packed.self, within: .seconds(seconds))
                } else {
                    _ = try await flow.next(Packed.self)
                }
            case .together(let branches):
                try await withThrowingTaskGroup { group in
                    for branch in branches { group.addTask { try await run(branch, flow) } }
                    try await group.waitForAll()
                }
            case .changed(let name, let new, let old):
                try await run(flow.changed(name) ? new : old, flow)
            case .end:
                throw End()
            case .fail:
                throw NotPacked()
            case .random:
                try await run([.transaction(Bool.random() ? "heads" : "tails")], flow)
            case .unmanaged:
                await gate.pass()
            }
        }
    }
}

/// What happens to an instance in flight when the code is changed.
@Suite(.timeLimit(.minutes(1))) struct CodeChangeTests {
    /// A change of the code, with the expected verdict.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        var old: [Changing.Part] = [.transaction("a"), .step("b"), .event(within: nil), .transaction("c")]
        let new: [Changing.Part]

        /// A part of the message; `nil` if the instance goes on.
        let mistake: String?

        var testDescription: String { name }
    }

    static let changes: [Change] = [
        Change(
            name: "none", new: [.transaction("a"), .step("b"), .event(within: nil), .transaction("c")], mistake: nil),
        Change(
            name: "two steps swapped", new: [.step("b"), .transaction("a"), .event(within: nil)],
            mistake: "step 1 is the transaction 'a'; the code now asks for the step 'b'"),
        Change(
            name: "the first step removed", new: [.step("b"), .event(within: nil)],
            mistake: "step 1 is the transaction 'a'; the code now asks for the step 'b'"),
        Change(
            name: "the last done step removed", new: [.transaction("a"), .event(within: nil)],
            mistake: "step 2 is the step 'b'; the code now asks for the wait for 'packed'"),
        Change(
            name: "a step added before", new: [.sleep(1), .transaction("a"), .step("b"), .event(within: nil)],
            mistake: "step 1 is the transaction 'a'; the code now asks for a pause"),
        Change(
            name: "a step added before the wait",
            new: [.transaction("a"), .step("b"), .step("new"), .event(within: nil)],
            mistake: "step 3 is the wait for 'packed'; the code now asks for the step 'new'"),
        Change(
            name: "a step added after the wait",
            new: [.transaction("a"), .step("b"), .event(within: nil), .step("new"), .transaction("c")], mistake: nil),
        Change(name: "the last step removed", new: [.transaction("a"), .step("b"), .event(within: nil)], mistake: nil),
        Change(
            name: "later steps swapped",
            new: [.transaction("a"), .step("b"), .event(within: nil), .step("d"), .transaction("c")], mistake: nil),
        Change(
            name: "a step renamed", new: [.transaction("A"), .step("b"), .event(within: nil)],
            mistake: "step 1 is the transaction 'a'; the code now asks for the transaction 'A'"),
        Change(
            name: "the kind of a step changed", new: [.transaction("a"), .transaction("b"), .event(within: nil)],
            mistake: "step 2 is the step 'b'; the code now asks for the transaction 'b'"),
        Change(
            name: "the type of a result changed", new: [.number("a"), .step("b"), .event(within: nil)],
            mistake: "The stored result of the transaction 'a' does not decode as 'Swift.Int'"),
        Change(
            name: "the input of a command changed", old: [.command(1), .event(within: nil)],
            new: [.command(2), .event(within: nil)], mistake: nil),
        Change(
            name: "the duration of a past pause changed", old: [.sleep(1), .event(within: nil)],
            new: [.sleep(2), .event(within: nil)], mistake: nil),
        Change(
            name: "a limit added to the wait", new: [.transaction("a"), .step("b"), .event(within: 86_400)],
            mistake: nil),
        Change(
            name: "the wait replaced by a pause", new: [.transaction("a"), .step("b"), .sleep(86_400)],
            mistake: "step 3 is the wait for 'packed'; the code now asks for a pause"),
        Change(
            name: "an early end", new: [.transaction("a"), .end],
            mistake: "step 2 is the step 'b', which the code doesn't ask for, because it has ended"),
        Change(
            name: "the end before the wait", new: [.transaction("a"), .step("b")],
            mistake: "waits for step 3, the wait for 'packed', which the code no longer asks for"),
        Change(
            name: "an early error", new: [.fail],
            mistake: "step 1 is the transaction 'a', which the code doesn't ask for, because it has ended"),
        Change(
            name: "a marked change before the wait",
            new: [
                .changed("first", new: [.step("new")], old: []), .transaction("a"), .step("b"), .event(within: nil),
                .transaction("c"),
            ], mistake: nil),
        Change(
            name: "a marked change right before the wait",
            new: [
                .transaction("a"), .step("b"), .changed("later", new: [.step("new")], old: []), .event(within: nil),
            ], mistake: nil),
        Change(
            name: "steps made parallel",
            new: [.together([[.transaction("a")], [.step("b")]]), .event(within: nil)], mistake: nil),
        Change(
            name: "parallel steps in another order",
            old: [.together([[.transaction("a")], [.transaction("b")]]), .event(within: nil)],
            new: [.together([[.transaction("b")], [.transaction("a")]]), .event(within: nil)],
            mistake: "step 1 is the transaction 'a'; the code now asks for the transaction 'b'"),
        Change(
            name: "a parallel step added at the end",
            old: [.together([[.transaction("a")], [.transaction("b")]]), .event(within: nil)],
            new: [.together([[.transaction("a")], [.transaction("b")], [.step("new")]]), .event(within: nil)],
            mistake: "step 3 is the wait for 'packed'; the code now asks for the step 'new'"),
        Change(
            name: "another await", new: [.transaction("a"), .unmanaged, .step("b"), .event(within: nil)],
            mistake: "awaits something that isn't a step"),
    ]

    private nonisolated(nonsending) func run<Result>(
        _ bench: WorkflowBench,
        _ code: [Changing.Part],
        _ gate: Gate = Gate(),
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Container) async throws -> Result
    ) async throws -> Result {
        try await Changing.$gate.binding(gate) {
            try await Changing.$code.binding(code) { try await bench.run([Changing.self], body) }
        }
    }

    @Test(arguments: changes) func `a change blocks an instance in flight, or it doesn't`(_ change: Change) async throws
    {
        let bench = try WorkflowBench()
        try await run(bench, change.old) { relay, workflows, _ in
            try await workflows.start(Changing(), id: 1)
            try await relay.advance(by: .seconds(10))
        }
        // The new code, which a launch and an event meet.
        let gate = Gate()
        let isFound = try await run(bench, change.new, gate) { relay, workflows, container in
            var report: String?
            do {
                try await container.validate(.standard, replaying: bench.store)
            } catch let error as WorkflowError {
                #expect(error.code == .blocked)
                report = error.message
            }
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Packed(order: 1)) }
            try await relay.untilIdle()
            let status = try #require(try await workflows.status(of: Changing.self, id: 1))
            guard let mistake = change.mistake else {
                #expect(status.state == .completed, "\(status.mistake ?? "")")
                return report != nil
            }
            #expect(status.state == .blocked)
            #expect(status.mistake?.contains(mistake) == true, "\(status.mistake ?? "none")")
            #expect(
                report?.contains("'changing/1': ") == true && report?.contains(mistake) == true, "\(report ?? "none")")
            return report != nil
        }
        #expect(isFound == (change.mistake != nil))
        gate.open()
        // The old code goes on, and has lost nothing.
        if change.mistake == nil { return }
        try await run(bench, change.old) { relay, workflows, _ in
            try await relay.advance(by: .seconds(3_600))
            #expect(try await workflows.status(of: Changing.self, id: 1)?.state == .completed)
        }
        let lines = try await bench.lines()
        #expect(Set(lines).count == lines.count)
    }

    @Test func `new instances take a marked change`() async throws {
        let bench = try WorkflowBench()
        let code: [Changing.Part] = [
            .changed("first", new: [.transaction("new")], old: [.transaction("old")]), .event(within: nil),
            .changed("first", new: [.transaction("new 2")], old: [.transaction("old 2")]),
        ]
        try await run(bench, code) { relay, workflows, container in
            try await workflows.start(Changing(), id: 1)
            try await relay.untilIdle()
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Packed(order: 1)) }
            try await relay.untilIdle()
        }
        #expect(try await bench.lines() == ["new", "new 2"])
    }

    @Test func `an instance keeps its decision about a marked change`() async throws {
        let bench = try WorkflowBench()
        try await run(bench, [.transaction("a"), .event(within: nil)]) { relay, workflows, _ in
            try await workflows.start(Changing(), id: 1)
            try await relay.untilIdle()
        }
        let code: [Changing.Part] = [
            .changed("later", new: [.transaction("new")], old: []), .transaction("a"), .event(within: nil),
            .changed("later", new: [.transaction("new 2")], old: [.transaction("old 2")]),
        ]
        try await run(bench, code) { relay, _, container in
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Packed(order: 1)) }
            try await relay.untilIdle()
        }
        #expect(try await bench.lines() == ["a", "old 2"])
    }

    @Test func `an input that no longer decodes blocks the instance`() async throws {
        let bench = try WorkflowBench()
        try await run(bench, [.event(within: nil)]) { relay, workflows, container in
            try await workflows.start(Changing(), id: 1)
            try await relay.untilIdle()
        }
        try await Changing.$isReadable.binding(false) {
            try await run(bench, [.event(within: nil)]) { relay, workflows, container in
                let work: UnitOfWork<EntityContext> = container.resolve()
                try await work.execute { $0.raiseEvent(Packed(order: 1)) }
                try await relay.untilIdle()
                let status = try #require(try await workflows.status(of: Changing.self, id: 1))
                #expect(status.mistake?.contains("The input, stored with version 1, does not decode") == true)
            }
        }
    }
}
