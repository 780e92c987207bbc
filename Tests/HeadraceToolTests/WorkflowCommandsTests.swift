// SPDX-License-Identifier: Apache-2.0

#if Tool && SQLite
import ArgumentParser
import Foundation
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Synchronization
import Testing

@testable import HeadraceTool

@Suite(.timeLimit(.minutes(2))) struct WorkflowCommandsTests: ToolSuite {
    /// The arguments that name a store.
    struct Location: CustomTestStringConvertible {
        let path: String
        var schema: String?

        var arguments: [String] { ["-d", path] + (schema.map { ["--schema", $0] } ?? []) }
        var testDescription: String { schema == nil ? "SQLite" : "PostgreSQL" }
    }

    private static var postgresURL: String? { ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"] }

    /// Runs `test` with a relay on a new SQLite file, and on the clock of the test.
    private func withInstances(
        _ test: (_ relay: TestRelay, _ printer: Printer, _ store: [String]) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-tool-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()
        try Data().write(to: URL(filePath: path))
        try await withInstances(at: Location(path: path), test)
    }

    /// Four instances: one waits for an event, one has failed, one sleeps, and one waits for the end of the sleeping one.
    private func withInstances(
        at location: Location,
        _ test: (_ relay: TestRelay, _ printer: Printer, _ store: [String]) async throws -> Void
    ) async throws {
        let open = try await OpenStore(location.path, schema: location.schema, entities: .workflows)
        let printer = Printer()
        let builder = ContainerBuilder()
        builder.domain(store: open.store, workflows: [Delivery.self, Report.self])
        builder.singleton(Printer.self) { printer }
        let container = builder.build()
        try await TestRelay.run(container.resolve()) { (relay) async throws in
            let workflows: Workflows = container.resolve()
            try await workflows.start(Delivery(number: 7), id: 7)
            try await relay.untilIdle()
            printer.failures.withLock { $0 = 1 }
            try await workflows.start(Delivery(number: 8), id: 8)
            try await relay.untilIdle()
            for number in 1...2 { try await workflows.start(Report(), id: number) }
            try await relay.untilIdle()
            try await test(relay, printer, location.arguments)
        }
        withExtendedLifetime(container) {}
        try open.store.close()
    }

    @Test func instancesAreListedInATable() async throws {
        try await withInstances { (_, _, store) async throws in
            let started = "2001-01-01T00:00:00Z"
            #expect(
                try await run(["workflows"] + store) == [
                    "workflow  id  state    steps  waits for                           started               ended                 error",
                    "delivery  7   running  1      the wait for 'packed'               \(started)",
                    "delivery  8   failed   1                                          \(started)  \(started)  No paper",
                    "report    1   running  0      a pause                             \(started)",
                    "report    2   queued   0      a place of the concurrency key 'a'  \(started)",
                ])
            #expect(try await run(["workflows", "list", "--name", "report"] + store).count == 3)
            #expect(try await run(["workflows", "list", "--state", "queued"] + store).count == 2)
            #expect(
                try await run(["workflows", "list", "--state", "blocked"] + store) == ["There are no such workflows."])
            let message = await failure(["workflows", "list", "--state", "dead"] + store)
            #expect(message.contains("There is no state 'dead'. Use one of: queued, running, blocked"), "\(message)")
        }
    }

    @Test func aPageEndsWithTheCursorOfTheNextPage() async throws {
        try await withInstances { (_, _, store) async throws in
            let first = try await run(["workflows", "list", "--limit", "3"] + store)
            let cursor = try #require(first.last?.split(separator: " ").last.map(String.init))
            #expect(first.last == "The next page: --after \(cursor)")

            let second = try await run(["workflows", "list", "--limit", "3", "--after", cursor] + store)

            #expect(second.count == 2)
            #expect(second.last?.hasPrefix("report    2   queued") == true)
            let json = try await run(["workflows", "list", "--limit", "3", "--json"] + store).joined()
            #expect(json.contains(#""next" : "\#(cursor)""#), "\(json)")
            #expect(await failure(["workflows", "list", "--after", "!"] + store).contains("'!' is no cursor."))
        }
    }

    @Test func anInstanceIsShownWithItsWaitsAndItsJournal() async throws {
        try await withInstances { (relay, _, store) async throws in
            #expect(
                try await run(["workflows", "show", "delivery", "7"] + store) == [
                    "workflow: delivery", "ID: 7", "state: running", "started: 2001-01-01T00:00:00Z",
                    #"input: {"number":7}"#,
                    "",
                    "step  waits for              due",
                    "2     the wait for 'packed'  2001-01-04T00:00:00Z",
                    "",
                    "step  done              attempts  date                  after    result or error",
                    #"1     the step 'label'  1         2001-01-01T00:00:00Z  0.000 s  ["label"]"#,
                ])
            try await relay.advance(by: .seconds(3 * 86_400))

            let lines = try await run(["workflows", "show", "delivery", "7"] + store)

            #expect(lines.contains(#"result: ["not packed"]"#), "\(lines)")
            #expect(lines.last == "2     the wait for 'packed'  1         2001-01-04T00:00:00Z  3 d 0 h")
        }
    }

    @Test func aFailedInstanceIsShownWithItsError() async throws {
        try await withInstances { (_, _, store) async throws in
            let lines = try await run(["workflows", "show", "delivery", "8"] + store)

            #expect(lines.contains("ended: 2001-01-01T00:00:00Z"))
            #expect(lines.contains { $0.hasPrefix("error: step 1, ") && $0.hasSuffix("NoPaper: No paper") }, "\(lines)")
            #expect(lines.last?.hasSuffix("0.000 s  error: No paper") == true, "\(lines)")
        }
    }

    @Test func jsonContainsTheWholeJournal() async throws {
        try await withInstances { (_, _, store) async throws in
            let json = try await run(["workflows", "show", "delivery", "7", "--json"] + store).joined()

            let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            let shown = try #require(object)
            #expect(shown["state"] as? String == "running")
            #expect(shown["input"] as? String == #"{"number":7}"#)
            let step = try #require((shown["journal"] as? [[String: Any]])?.first)
            #expect(step["kind"] as? String == "step")
            #expect(step["name"] as? String == "label")
            #expect(step["result"] as? String == #"["label"]"#)
            let wait = try #require((shown["pendingSteps"] as? [[String: Any]])?.first)
            #expect(wait["kind"] as? String == "event")
            #expect(wait["due"] as? String == "2001-01-04T00:00:00Z")
        }
    }

    @Test func aQueuedInstanceIsShownWithItsPlaceInTheLine() async throws {
        try await withInstances { (_, _, store) async throws in
            #expect(
                try await run(["workflows", "show", "report", "2"] + store).contains(
                    "concurrency: at most 1 with the key 'a', place 1 of 1 in line, running: report/1"))
            #expect(
                try await run(["workflows", "show", "report", "1"] + store).contains(
                    "concurrency: at most 1 with the key 'a', 1 in line, running: report/1"))
            let message = await failure(["workflows", "retry", "report", "2"] + store)
            #expect(message.contains("waits for its concurrency key, so nothing was changed. To fix, "), "\(message)")
        }
    }

    @Test func aRetryLetsAFailedInstanceGoOn() async throws {
        try await withInstances { (relay, _, store) async throws in
            #expect(
                try await run(["workflows", "retry", "delivery", "8", "--operator", "anna"] + store) == [
                    "'delivery/8' will go on; its state is 'running'."
                ])

            try await relay.untilIdle()

            let lines = try await run(["workflows", "show", "delivery", "8"] + store)
            #expect(lines.last?.hasSuffix(#"["label"]"#) == true, "\(lines)")
            let events = try await operations(in: store)
            #expect(events == ["anna: retry workflow delivery/8"])
        }
    }

    @Test func aCancellationEndsAQueuedInstanceAtOnceAndReachesTheCodeOfARunningOne() async throws {
        try await withInstances { (relay, _, store) async throws in
            #expect(
                try await run(["workflows", "cancel", "report", "2"] + store) == [
                    "The cancellation of 'report/2' is stored; its state is 'cancelled'."
                ])
            #expect(
                try await run(["workflows", "cancel", "delivery", "7"] + store) == [
                    "The cancellation of 'delivery/7' is stored; its state is 'running'."
                ])
            #expect(try await run(["workflows", "show", "delivery", "7"] + store).contains("cancellation: requested"))

            try await relay.untilIdle()

            let lines = try await run(["workflows", "show", "delivery", "7"] + store)
            #expect(lines.contains("state: cancelled"))
            #expect(lines.last?.hasPrefix("      a cancellation") == true, "\(lines)")
            #expect(
                await failure(["workflows", "cancel", "delivery", "7"] + store)
                    == "The workflow 'delivery/7' was cancelled. To do its task, start another instance.")
        }
    }

    @Test func aTerminatedInstanceGivesItsPlaceToTheNext() async throws {
        try await withInstances { (_, _, store) async throws in
            #expect(
                try await run(["workflows", "terminate", "report", "1", "--json"] + store).joined()
                    == #"{  "id" : "1",  "state" : "terminated",  "workflow" : "report"}"#.replacing("  ", with: "\n  ")
                    .replacing("}", with: "\n}"))
            #expect(try await run(["workflows", "show", "report", "2"] + store).contains("state: running"))
            #expect(await failure(["workflows", "terminate", "report", "1"] + store).contains("An operator has ended"))
            #expect(await failure(["workflows", "retry", "report", "1"] + store).contains("An operator has ended"))
        }
    }

    @Test func aForkHasTheStepsBeforeTheGivenOne() async throws {
        try await withInstances { (relay, _, store) async throws in
            let fork = ["workflows", "fork", "delivery", "7", "--from", "2", "--as", "9"] + store
            #expect(
                try await run(fork) == [
                    "'delivery/9' has 1 step of 'delivery/7' and will go on; its state is 'running'."
                ])

            try await relay.untilIdle()

            let lines = try await run(["workflows", "show", "delivery", "9"] + store)
            #expect(lines.contains { $0.hasPrefix("2     the wait for 'packed'") }, "\(lines)")
            #expect(await failure(fork).contains("already has a workflow 'delivery/9', so nothing was changed."))
            #expect(
                await failure(["workflows", "fork", "delivery", "7", "--from", "0", "--as", "10"] + store)
                    .contains("'--from' must be at least 1."))
            let user = NSUserName().isEmpty ? "unknown" : NSUserName()
            #expect(try await operations(in: store) == ["\(user): fork workflow delivery/7, from step 2, delivery/9"])
        }
    }

    @Test(arguments: [["show"], ["cancel"], ["terminate"], ["retry"], ["fork", "--from", "1", "--as", "10"]])
    func anUnknownInstanceFailsAndRecordsNothing(command: [String]) async throws {
        try await withInstances { (_, _, store) async throws in
            #expect(
                await failure(["workflows"] + command + ["delivery", "99"] + store) == """
                    The store has no workflow 'delivery/99'. To fix, start it first, and pass the identifier that it was started with.
                    """)
            #expect(try await operations(in: store) == [])
        }
    }

    @Test func aStoreThatNeverHadWorkflowsHasNone() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "headrace-tool-\(UUID()).sqlite").path()
        try Data().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await OpenStore(path, schema: nil, entities: .none).store.close()

        #expect(try await run("workflows", "-d", path) == ["There are no workflows."])
        #expect(await failure("workflows", "show", "delivery", "7", "-d", path).contains("no workflow 'delivery/7'"))
    }

    @Test func theHelpSaysWhoChecksTheCode() {
        let help = HeadraceTool.helpMessage(for: WorkflowCommands.self)
        #expect(help.contains("validate(.strict, replaying: store)"), "\(help)")
    }

    #if Postgres
    @Test(.enabled(if: postgresURL != nil, "It needs a server."))
    func theCommandsWorkOnPostgreSQL() async throws {
        let url = try #require(Self.postgresURL)
        let location = Location(path: url, schema: "tool-\(UUID())")
        let open = try await OpenStore(url, schema: location.schema, entities: .workflows)
        let workflows = Workflows(on: open.store, delegator: RecordingDelegator())
        try await workflows.start(Delivery(number: 7), id: 7)
        try await workflows.start(Report(), id: 1)
        let store = location.arguments

        #expect(try await run(["workflows"] + store).count == 3)
        let shown = try await run(["workflows", "show", "report", "1"] + store)
        #expect(
            shown.contains { $0.hasPrefix("concurrency: at most 1 with the key 'a', place 1 of 1 in line") }, "\(shown)"
        )
        for command in [["retry", "delivery", "7"], ["cancel", "report", "1"], ["terminate", "delivery", "7"]] {
            _ = try await run(["workflows"] + command + store)
        }
        _ = try await run(["workflows", "fork", "delivery", "7", "--from", "1", "--as", "9"] + store)

        let states = try await run(["workflows"] + store).dropFirst().map { line in
            line.split(separator: " ").prefix(3).joined(separator: " ")
        }
        #expect(states == ["delivery 7 terminated", "delivery 9 running", "report 1 cancelled"])
        try open.store.close()
    }
    #endif

    /// Returns the operators and the operations that the log records.
    private func operations(in store: [String]) async throws -> [String] {
        let open = try await OpenStore(store[1], schema: nil, entities: .none)
        let records = try await open.store.events(after: 0, limit: 99).filter { $0.event.name == OperatorLog.eventName }
        try open.store.close()
        return records.map { record in
            let operation = OperatorLog.Operation(json: record.event.json)
            let target = operation?.target.joined(separator: ", ") ?? ""
            return "\(record.event.origin.principalID ?? "-"): \(operation?.name ?? "-") \(target)"
        }
    }
}

/// A parcel has a label, and waits for three days until it is packed.
private struct Delivery: DurableWorkflow {
    static let workflowName = "delivery"
    static let receives: [WorkflowEvent<Delivery>] = [.event(Packed.self) { $0.number }]

    let number: Int

    func run(_ flow: WorkflowContext) async throws -> String {
        let label = try await flow.step("label", retry: .never) { try $0.resolve(Printer.self).printLabel() }
        guard try await flow.next(Packed.self, within: .seconds(3 * 86_400)) != nil else { return "not packed" }
        return label
    }
}

private struct Packed: DurableDomainEvent {
    static let eventName = "packed"
    let number: Int
}

/// A workflow that runs once at a time.
private struct Report: DurableWorkflow {
    static let workflowName = "report"

    var concurrency: WorkflowConcurrency? { .atMost(1, by: "a") }

    func run(_ flow: WorkflowContext) async throws { try await flow.sleep(for: .seconds(60)) }
}

private struct NoPaper: Error, CustomStringConvertible {
    var description: String { "No paper" }
}

/// Another system, whose next calls can fail.
private final class Printer: Sendable {
    let failures = Mutex(0)

    func printLabel() throws -> String {
        let fails = failures.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails { throw NoPaper() }
        return "label"
    }
}
#endif
