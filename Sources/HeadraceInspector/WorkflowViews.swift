// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import HeadraceWorkflows

/// A text that the redaction may have hidden: its JSON is an object without `text` then.
struct ShownText: Encodable {
    let text: String?
}

/// An error of a step or of an instance.
struct FailureView: Encodable {
    /// The name of the error's type.
    let type: String

    let text: String?

    init(_ error: WorkflowStepError, _ configuration: InspectorConfiguration) {
        type = error.type
        text = configuration.shownFailure(error.message)
    }
}

/// An instance of a workflow, without its journal.
struct WorkflowView: Encodable {
    /// The handle for requests.
    let instance: UUID

    let workflow: String

    /// The stored text of the identifier; `nil` if it is hidden.
    let id: String?

    let state: String
    let steps: Int

    /// The waits in words.
    let waits: [String]

    /// Times in milliseconds since 1970.
    let started: Double
    let ended: Double?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    let hidden: HiddenContent?

    init(_ stored: StoredWorkflow, handle: UUID, _ configuration: InspectorConfiguration) {
        instance = handle
        workflow = stored.workflow
        id = configuration.shownKey(stored.key, of: stored.workflow)
        state = stored.state.rawValue
        steps = stored.recordCount
        waits =
            stored.state == .queued
            ? [configuration.shownPlace(of: stored)]
            : stored.waits.map { configuration.shownTitle(of: $0.kind, $0.name) }
        started = stored.startedAt.millisecondsSince1970
        ended = stored.endedAt?.millisecondsSince1970
        hidden = id == nil ? .identifier : nil
    }
}

/// A page of instances.
struct WorkflowPage: Encodable {
    let instances: [WorkflowView]

    /// The cursor of the next page; `nil` after the last.
    let next: UUID?

    /// For each kind of hidden content in the instances, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    init(_ instances: [WorkflowView], next: UUID?) {
        self.instances = instances
        self.next = next
        hints = HiddenContent.hints(of: instances.compactMap(\.hidden))
    }
}

/// A step that was done, or that the instance waits for.
struct WorkflowStepView: Encodable {
    /// The number of the step, counting from 1; 0 for a cancellation.
    let step: Int

    let kind: String

    /// The step in words.
    let title: String

    /// The earliest time at which the code can have asked for the step, in milliseconds since 1970.
    let asked: Double

    /// The time at which the step was done; `nil` if the instance waits for it.
    let done: Double?

    /// The time at which the wait ends; `nil` if there is none, or if the step was done.
    let due: Double?

    /// Number of attempts; only failed attempts if the instance waits for the step.
    let attempts: Int

    let input: ShownText?
    let result: ShownText?

    /// The state in which another instance has ended, if the step has waited for its end.
    let childState: String?

    let failure: FailureView?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    let hidden: HiddenContent?

    init(_ record: WorkflowRecord, of workflow: String, asked: Date, _ configuration: InspectorConfiguration) {
        let end = record.childEnd
        self.init(
            record.step, record.kind, record.name, asked: asked, done: record.date, attempts: record.attempts,
            input: configuration.shownInput(record.input, of: record.kind, record.name),
            result: configuration.shownResult(of: record, in: workflow),
            childState: end?.state.rawValue, failure: end?.failure ?? record.failure, configuration)
    }

    init(_ wait: StoredWorkflow.Wait, asked: Date, _ configuration: InspectorConfiguration) {
        self.init(
            wait.step, wait.kind, wait.name, asked: asked, due: wait.due, attempts: wait.attempts,
            input: configuration.shownInput(wait.input, of: wait.kind, wait.name), failure: wait.failure, configuration)
    }

    private init(
        _ step: Int, _ kind: WorkflowRecord.Kind, _ name: String, asked: Date, done: Date? = nil, due: Date? = nil,
        attempts: Int, input: ShownText?, result: ShownText? = nil, childState: String? = nil,
        failure: WorkflowStepError?, _ configuration: InspectorConfiguration
    ) {
        self.step = step
        self.kind = kind.rawValue
        title = configuration.shownTitle(of: kind, name)
        self.asked = asked.millisecondsSince1970
        self.done = done?.millisecondsSince1970
        self.due = due?.millisecondsSince1970
        self.attempts = attempts
        self.input = input
        self.result = result
        self.childState = childState
        self.failure = failure.map { FailureView($0, configuration) }
        var hidden: HiddenContent = []
        if let input, input.text == nil { hidden.insert(.storedMessage) }
        if let result, result.text == nil { hidden.insert(kind == .workflow ? .identifier : .storedMessage) }
        if let failure = self.failure, failure.text == nil { hidden.insert(.failure) }
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

/// An instance of a workflow with the last steps of its journal.
struct WorkflowDetails: Encodable {
    let summary: WorkflowView

    /// The number of the round, counting from 1, and its start in milliseconds since 1970.
    let round: Int
    let begun: Double

    /// The current time, in milliseconds since 1970.
    let now: Double

    let input: ShownText
    let output: ShownText?
    let failure: FailureView?

    /// Why the instance is blocked; `nil` if it isn't.
    let mistake: ShownText?

    /// Number of earlier steps that aren't in ``steps``.
    let omitted: Int

    /// The steps that were done, in order.
    let steps: [WorkflowStepView]

    /// The steps that the instance waits for.
    let waits: [WorkflowStepView]

    /// For each kind of hidden content in the instance, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    init(
        _ stored: StoredWorkflow, _ journal: [WorkflowRecord], handle: UUID, limit: Int, now: Date,
        _ configuration: InspectorConfiguration
    ) {
        let workflow = stored.workflow
        summary = WorkflowView(stored, handle: handle, configuration)
        round = stored.round
        begun = stored.begunAt.millisecondsSince1970
        self.now = now.millisecondsSince1970
        input = configuration.shown(Data(stored.input.utf8)) { $0.text(ofInput: $1, of: workflow) }
        output = stored.output.flatMap { configuration.shownOutput($0, of: workflow) }
        failure = stored.failure.map { FailureView($0, configuration) }
        mistake = stored.mistake.map { ShownText(text: configuration.shownFailure($0)) }
        omitted = max(0, journal.count - limit)
        steps = journal.indices.dropFirst(omitted).map { index in
            let record = journal[index]
            let asked = record.step == 0 ? record.date : Self.asked(record.step, after: journal[..<index], of: stored)
            return WorkflowStepView(record, of: workflow, asked: asked, configuration)
        }
        waits = stored.waits.map { wait in
            WorkflowStepView(wait, asked: Self.asked(wait.step, after: journal[...], of: stored), configuration)
        }
        var hidden = (steps + waits).compactMap(\.hidden) + [summary.hidden].compactMap(\.self)
        if input.text == nil || output.map({ $0.text == nil }) == true { hidden.append(.storedMessage) }
        if failure.map({ $0.text == nil }) == true || mistake.map({ $0.text == nil }) == true {
            hidden.append(.failure)
        }
        hints = HiddenContent.hints(of: hidden)
    }

    /// The earliest time at which the code can have asked for `step`: when it went on with the last earlier step.
    ///
    /// The journal has only the times at which steps were done. Steps of one time are numbered in the order in which the code has asked.
    private static func asked(
        _ step: Int, after journal: ArraySlice<WorkflowRecord>, of stored: StoredWorkflow
    ) -> Date {
        journal.last { $0.step < step }?.date ?? stored.begunAt
    }
}

extension InspectorConfiguration {
    /// The text that `rule` returns for `json`.
    fileprivate func shown(_ json: Data, by rule: (Redaction, Data) -> String?) -> ShownText {
        ShownText(text: limited(rule(redaction, json)))
    }

    /// The key of an instance of `workflow`; `nil` if it is hidden.
    func shownKey(_ key: String, of workflow: String) -> String? {
        limited(redaction.text(ofKey: key, of: workflow))
    }

    /// The limit that a queued instance waits for, in words.
    fileprivate func shownPlace(of stored: StoredWorkflow) -> String {
        let key = stored.concurrency?.key ?? ""
        let shown = key.isEmpty ? nil : shownKey(key, of: stored.workflow)
        return shown.map { "the concurrency key '\($0)'" }
            ?? (key.isEmpty ? "the limit of instances" : "a concurrency key")
    }

    /// A step in words; without the identifier of another instance, if it is hidden.
    fileprivate func shownTitle(of kind: WorkflowRecord.Kind, _ name: String) -> String {
        guard kind == .event, let child = WorkflowRecord.child(in: name) else {
            return WorkflowRecord.title(kind, name)
        }
        let key = shownKey(child.key, of: child.workflow).map { "/\($0)" }
        return "the end of the workflow '\(child.workflow)\(key ?? "")'"
    }

    fileprivate func shownInput(_ input: String?, of kind: WorkflowRecord.Kind, _ name: String) -> ShownText? {
        input.map { input in
            shown(Data(input.utf8)) {
                kind == .workflow ? $0.text(ofInput: $1, of: name) : $0.text(ofStored: name, $1)
            }
        }
    }

    fileprivate func shownOutput(_ output: String, of workflow: String) -> ShownText? {
        Self.value(in: output).map { output in shown(output) { $0.text(ofOutput: $1, of: workflow) } }
    }

    fileprivate func shownResult(of record: WorkflowRecord, in workflow: String) -> ShownText? {
        if record.result.isEmpty { return nil }
        switch record.kind {
        case .event:
            if let child = WorkflowRecord.child(in: record.name) {
                return record.childEnd?.output.flatMap { shownOutput($0, of: child.workflow) }
            }
            return shown(Data(record.result.utf8)) { $0.text(ofStored: record.name, $1) }
        case .workflow:
            let key = record.result.dropFirst(record.name.utf8.count + 1)
            return ShownText(text: shownKey(String(key), of: record.name))
        case .command, .step, .transaction:
            return Self.value(in: record.result).map { value in
                shown(value) { $0.text(ofResult: $1, of: record.name, in: workflow) }
            }
        case .sleep, .cancellation:
            return nil
        }
    }

    /// The value in a stored result, which is a list of one value, or an empty object for none.
    private static func value(in result: String) -> Data? {
        if result == "{}" { return nil }
        let isList = result.hasPrefix("[") && result.hasSuffix("]")
        return Data((isList ? String(result.dropFirst().dropLast()) : result).utf8)
    }
}
