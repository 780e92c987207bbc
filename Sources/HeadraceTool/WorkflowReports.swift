// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceDomain
import HeadraceWorkflows

/// A page of instances of workflows.
struct WorkflowList: Report {
    let workflows: [WorkflowReport]

    /// The cursor for `--after`; `nil` on the last page.
    let next: String?

    /// Whether the list has all instances, if it is empty.
    private let isWhole: Bool

    private enum CodingKeys: CodingKey { case workflows, next }

    init(_ instances: [WorkflowStatus], next: PageCursor?, isWhole: Bool) {
        workflows = instances.map { WorkflowReport($0) }
        self.next = next.map { "\($0)" }
        self.isWhole = isWhole
    }

    var lines: [String] {
        if workflows.isEmpty { return [isWhole ? "There are no workflows." : "There are no such workflows."] }
        let table = TextTable(
            ["workflow", "id", "state", "steps", "waits for", "started", "ended", "error"],
            workflows.map { each in
                [
                    each.workflow, each.id, each.state, "\(each.stepCount)",
                    each.waits.joined(separator: ", ").shortened,
                    each.started.text, each.ended?.text ?? "",
                    (each.mistake ?? each.failure?.message ?? "").shortened,
                ]
            }
        )
        return table.lines + (next.map { ["The next page: --after \($0)"] } ?? [])
    }
}

/// An instance of a workflow; the members that only `show` reads are `nil` in a list.
struct WorkflowReport: Report {
    struct Failure: Encodable {
        /// The number of the step; 0 if the code itself has thrown the error.
        let step: Int

        let type: String
        let message: String

        init(_ error: WorkflowStepError) {
            step = error.step
            type = error.type
            message = error.message
        }

        var text: String { step == 0 ? "\(type): \(message)" : "step \(step), \(type): \(message)" }
    }

    /// The limit of instances at a time.
    struct Concurrency: Encodable {
        let limit: Int
        let key: String
        let running: [String]
        let queued: Int

        /// The place in the line, counting from 1; `nil` unless the instance is queued.
        let position: Int?

        init(_ concurrency: WorkflowDetails.Concurrency) {
            limit = concurrency.limit
            key = concurrency.key
            running = concurrency.holders
            queued = concurrency.queuedCount
            position = concurrency.position
        }

        var text: String {
            let place = position.map { "place \($0) of \(queued) in line" } ?? "\(queued) in line"
            let holders = running.isEmpty ? "none" : running.joined(separator: ", ")
            return "at most \(limit) with the key '\(key)', \(place), running: \(holders)"
        }
    }

    /// A step that isn't done.
    struct PendingStep: Encodable {
        let step: Int
        let kind: String
        let name: String
        let title: String
        let due: Date?

        /// Number of attempts that have failed.
        let attempts: Int

        let lastFailure: Failure?

        /// The input as JSON, as text.
        let input: String?

        init(_ wait: StoredWorkflow.Wait) {
            step = wait.step
            kind = wait.kind.rawValue
            name = wait.name
            title = wait.title
            due = wait.due
            attempts = wait.attempts
            lastFailure = wait.failure.map { Failure($0) }
            input = wait.input
        }
    }

    /// An entry of the journal.
    struct Step: Encodable {
        /// The number of the step; 0 for a cancellation.
        let step: Int

        let kind: String
        let name: String
        let title: String
        let attempts: Int
        let date: Date

        /// The time since the entry before, or since the start.
        let seconds: Double

        /// The input as JSON, as text.
        let input: String?

        /// The result as JSON, as text; empty for a pause, and for an event that didn't come in time.
        let result: String

        let failure: Failure?

        init(_ record: WorkflowRecord, after previous: Date) {
            step = record.step
            kind = record.kind.rawValue
            name = record.name
            title = record.title
            attempts = record.attempts
            date = record.date
            seconds = record.date.timeIntervalSince(previous)
            input = record.input
            result = record.result
            failure = record.failure.map { Failure($0) }
        }
    }

    let workflow: String
    let id: String
    let state: String
    let stepCount: Int
    let waits: [String]
    let started: Date
    let ended: Date?
    let failure: Failure?
    let mistake: String?

    /// The input as JSON, as text.
    private(set) var input: String?

    /// The result as JSON, as text.
    private(set) var output: String?

    /// The number of the round, counting from 1.
    private(set) var round: Int?

    /// Whether a cancellation waits for a program.
    private(set) var isBeingCancelled: Bool?

    /// The names of the events that the code hasn't received.
    private(set) var unreceivedEvents: [String]?

    private(set) var concurrency: Concurrency?
    private(set) var pendingSteps: [PendingStep]?
    private(set) var journal: [Step]?

    init(_ status: WorkflowStatus) {
        workflow = status.workflow
        id = status.id
        state = status.state.rawValue
        stepCount = status.stepCount
        waits = status.waits
        started = status.startedAt
        ended = status.endedAt
        failure = status.failure.map { Failure($0) }
        mistake = status.mistake
    }

    init(_ details: WorkflowDetails) {
        self.init(details.status)
        input = details.status.input
        output = details.status.output
        round = details.round
        isBeingCancelled = details.isBeingCancelled
        unreceivedEvents = details.unreceivedEvents
        concurrency = details.concurrency.map { Concurrency($0) }
        pendingSteps = details.waits.map { PendingStep($0) }
        let dates = [details.begunAt] + details.journal.map(\.date)
        journal = zip(details.journal, dates).map { Step($0, after: $1) }
    }

    var lines: [String] {
        var lines = ["workflow: \(workflow)", "ID: \(id)", "state: \(state)", "started: \(started.text)"]
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { lines.append("\(name): \(text)") }
        }
        add("ended", ended?.text)
        if let round, round > 1 { add("round", "\(round)") }
        if isBeingCancelled == true { add("cancellation", "requested") }
        add("concurrency", concurrency?.text)
        add("input", input)
        add("result", output)
        add("error", failure?.text)
        add("blocked because", mistake)
        add("events that weren't received", unreceivedEvents?.joined(separator: ", "))
        return lines + pendingLines + journalLines
    }

    private var pendingLines: [String] {
        guard let pendingSteps, !pendingSteps.isEmpty else { return [] }
        let table = TextTable(
            ["step", "waits for", "due", "failed attempts", "last error"],
            pendingSteps.map { each in
                [
                    "\(each.step)", each.title, each.due?.text ?? "", each.attempts == 0 ? "" : "\(each.attempts)",
                    each.lastFailure?.message.shortened ?? "",
                ]
            }
        )
        return [""] + table.lines
    }

    private var journalLines: [String] {
        guard let journal, !journal.isEmpty else { return [] }
        let table = TextTable(
            ["step", "done", "attempts", "date", "after", "result or error"],
            journal.map { each in
                [
                    each.step == 0 ? "" : "\(each.step)", each.title, "\(each.attempts)", each.date.text,
                    each.seconds.durationText, (each.failure.map { "error: \($0.message)" } ?? each.result).shortened,
                ]
            }
        )
        return [""] + table.lines
    }
}

/// An instance after a change by an operator.
struct WorkflowChange: Report {
    let workflow: String
    let id: String
    let state: String

    private let text: String

    private enum CodingKeys: CodingKey { case workflow, id, state }

    /// Creates the report: `text` says what has happened, without a period.
    init(_ status: WorkflowStatus, _ text: String) {
        workflow = status.workflow
        id = status.id
        state = status.state.rawValue
        self.text = text
    }

    var lines: [String] { ["\(text); its state is '\(state)'."] }
}

extension Double {
    /// A number of seconds in the two largest units, such as "3 d 4 h" or "1.250 s".
    fileprivate var durationText: String {
        // Another machine can have an earlier clock.
        let milliseconds = Int((Swift.max(0, self) * 1_000).rounded())
        if milliseconds < 60_000 {
            let digits = String(milliseconds % 1_000)
            return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits) s"
        }
        let minutes = milliseconds / 60_000
        if minutes < 60 { return "\(minutes) min \(milliseconds / 1_000 % 60) s" }
        if minutes < 1_440 { return "\(minutes / 60) h \(minutes % 60) min" }
        return "\(minutes / 1_440) d \(minutes / 60 % 24) h"
    }
}
#endif
