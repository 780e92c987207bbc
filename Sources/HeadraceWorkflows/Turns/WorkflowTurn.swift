// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Logging

/// One turn of an instance: from the message that wakes it until it waits again.
///
/// Each step has its own unit of work. In it, the code continues with the result until it waits again. So the result, the changes of
/// the step, and the next waits of the code are one commit. If that commit fails, the turn begins again from the
/// journal: nothing that the code did meanwhile counts.
///
/// Two relays may have the same turn for a while, if one of them was suspended. Each commit changes the instance, and so the store
/// refuses the commit of the slower one.
final class WorkflowTurn<Workflow: DurableWorkflow> {
    private typealias Group = ThrowingTaskGroup<Attempt?, any Error>

    /// A closure that has ended; a timer ends with `nil` instead.
    private struct Attempt: Sendable {
        let step: WorkflowReplay.Step
        let result: Result<Data, any Error>
    }

    private let runner: WorkflowRunner<Workflow>
    private let message: ContinueWorkflow
    private let units: UnitsOfWork

    /// The code; `nil` before the first unit of work.
    private var replay: WorkflowReplay?

    /// The round, and the number of records that the code had received at the last commit; `nil` before the first unit of work.
    private var place: (round: Int, recordCount: Int)?

    private var seed: UInt64 = 0

    /// Whether the code has received a record that wasn't stored.
    private var isAhead = false

    /// Whether the unit of work has done or failed a step.
    private var hasNews = false

    /// The numbers of the steps whose closures run.
    private var running: Set<Int> = []

    /// The failed steps that wait for their next attempt.
    private var resting: [Int: StoredWorkflow.Wait] = [:]

    /// The due time of the message, which the store has found reached, even if the clock of this machine is behind.
    private var reached = Date.distantPast

    /// The earliest time for which a timer runs.
    private var timer: Date?

    /// The queue that the unit of work changes.
    private var heldQueue: HeldKeys<String>?

    init(runner: WorkflowRunner<Workflow>, message: ContinueWorkflow, units: UnitsOfWork) {
        self.runner = runner
        self.message = message
        self.units = units
    }

    /// Ends the code that was executed.
    func drop() {
        replay?.drop()
        replay = nil
    }

    /// Goes on until the instance waits or has ended.
    nonisolated(nonsending) func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Attempt?.self) { group in
                defer { group.cancelAll() }
                var isOver = try await open()
                while !isOver {
                    try Task.checkCancellation()
                    isOver = try await goOn(&group)
                }
            }
        } catch let mismatch as WorkflowMismatch {
            try await block(mismatch.reason)
        }
    }

    /// Does the next step; returns whether the turn is over.
    private nonisolated(nonsending) func goOn(_ group: inout Group) async throws -> Bool {
        let steps = (replay?.steps ?? []).filter { !running.contains($0.number) && isDue($0.number) }
        for step in steps {
            if case .run(_, let body) = step.work { start(step, body, in: &group) }
        }
        for step in steps {
            if case .change(_, let body) = step.work { return try await change(step, body) }
        }
        startTimer(in: &group)
        guard let attempt = try await group.next() ?? nil else {
            timer = nil
            // Applies what needs no work: events, the end of pauses, and a cancellation.
            return try await execute { _, _ in }
        }
        running.remove(attempt.step.number)
        return try await store(attempt.result, of: attempt.step)
    }

    /// Begins the turn; if nothing else happens before it, a step that only changes the store is part of the first unit of work.
    private nonisolated(nonsending) func open() async throws -> Bool {
        var step: WorkflowReplay.Step?
        do {
            return try await execute { context, stored in
                self.goOnWithoutWork(stored, in: context)
                // Other turns may wait for the queue. And if the step fails, the code must be where it has asked for the step.
                guard self.heldQueue == nil, !self.isAhead,
                    let next = self.replay?.steps.first(where: { $0.isWork && self.isDue($0.number) }),
                    case .change(_, let body) = next.work
                else { return }
                step = next
                try await self.carryOut(next, body, on: stored, in: context)
            }
        } catch {
            guard let step, !error.interruptsTurn else { throw error }
            return try await store(.failure(error), of: step)
        }
    }

    // MARK: Steps

    /// Runs the closure of `step` in a child task.
    private func start(
        _ step: WorkflowReplay.Step,
        _ body: @escaping StepWork.Run,
        in group: inout Group
    ) {
        running.insert(step.number)
        let key = WorkflowStep.key(of: step.number, seed: seed)
        let known = runner.unstored[key]
        let attempts = resting[step.number]?.attempts ?? 0
        let attempt = WorkflowStep(idempotencyKey: key, attempt: attempts + 1, scope: runner.scope)
        let stepMessage = stepMessage(for: step)
        group.addTask { [chain = units.chain] in
            if let known { return Attempt(step: step, result: .success(known)) }
            do {
                let json = try await chain.run(stepMessage, attempt: attempt.attempt) { try await body(attempt) }
                return Attempt(step: step, result: .success(json))
            } catch {
                return Attempt(step: step, result: .failure(error))
            }
        }
    }

    /// Lets the turn look at the pauses again while closures run.
    private func startTimer(in group: inout Group) {
        let due = (replay?.steps ?? []).compactMap(due(of:)).min()
        guard !running.isEmpty, let due, timer.map({ due < $0 }) ?? true else { return }
        timer = due
        let pause = Duration.seconds(max(0, due.timeIntervalSince(runner.wallClock())))
        group.addTask { [clock = runner.clock] in
            try await clock.sleep(for: pause)
            return nil
        }
    }

    /// Carries out `step` and stores its result in one unit of work.
    private nonisolated(nonsending) func change(
        _ step: WorkflowReplay.Step,
        _ body: @escaping StepWork.Change
    ) async throws -> Bool {
        do {
            return try await executeNext { context, stored in
                try await self.carryOut(step, body, on: stored, in: context)
            }
        } catch {
            if error.interruptsTurn { throw error }
            return try await store(.failure(error), of: step)
        }
    }

    /// Carries out `step` and adds its result to the journal.
    private nonisolated(nonsending) func carryOut(
        _ step: WorkflowReplay.Step,
        _ body: @escaping StepWork.Change,
        on stored: StoredWorkflow,
        in context: EntityContext
    ) async throws {
        // Middleware must not repeat half of a unit of work.
        var failure: (any Error)?
        let attempt = (resting[step.number]?.attempts ?? 0) + 1
        let json = try await units.chain.run(stepMessage(for: step), attempt: attempt) {
            if let failure { throw failure }
            do {
                return try await body(context, self.runner.scope)
            } catch {
                failure = error
                throw error
            }
        }
        append(record(of: step, json: json), to: stored, in: context)
    }

    /// Stores what an attempt at `step` has returned or thrown.
    private nonisolated(nonsending) func store(
        _ result: Result<Data, any Error>,
        of step: WorkflowReplay.Step
    ) async throws -> Bool {
        let key = WorkflowStep.key(of: step.number, seed: seed)
        if case .success(let json) = result { runner.unstored[key] = json }
        if case .failure(let error) = result, error.interruptsTurn { throw error }
        let isOver = try await execute { context, stored in
            // The step may have been cancelled meanwhile.
            guard self.replay?.steps.contains(where: { $0.number == step.number }) == true else { return }
            switch result {
            case .success(let json): self.append(self.record(of: step, json: json), to: stored, in: context)
            case .failure(let error): self.note(error, of: step, stored, in: context)
            }
        }
        runner.unstored[key] = nil
        return isOver
    }

    /// Plans the next attempt at a failed step, or lets the code receive the error.
    private func note(
        _ error: any Error,
        of step: WorkflowReplay.Step,
        _ stored: StoredWorkflow,
        in context: EntityContext
    ) {
        let failure = WorkflowStepError(error, step: step.number)
        let attempts = (resting[step.number]?.attempts ?? 0) + 1
        let policy = step.retry ?? runner.retry
        if attempts < policy.maximumAttempts, (error as? any RetryableError)?.isRetryable ?? true {
            var generator = SystemValues.current.randomNumbers
            var due = runner.wallClock().advanced(by: policy.backoff.pause(afterAttempt: attempts, using: &generator))
            if let earliest = (error as? any RetryableError)?.earliestRetry {
                due = max(due, runner.wallClock().advanced(by: runner.clock.now.duration(to: earliest)))
            }
            hasNews = true
            resting[step.number] = StoredWorkflow.Wait(
                step: step.number, kind: step.kind, name: step.name, input: step.input(), due: due, attempts: attempts,
                failure: failure)
            Logger.current.notice(
                "A step of a workflow failed and will be repeated",
                metadata: metadata.merging(["error": "\(error)", "headrace.workflow.step": "\(step.title)"]) { $1 }
            )
            return
        }
        var record = record(of: step, json: Data())
        record.failure = failure
        append(record, to: stored, in: context)
    }

    private func stepMessage(for step: WorkflowReplay.Step) -> StepMessage {
        StepMessage(instance: message.instance, workflow: Workflow.workflowName, step: step.number, name: step.name)
    }

    private func record(of step: WorkflowReplay.Step, json: Data) -> WorkflowRecord {
        WorkflowRecord(
            step: step.number, kind: step.kind, name: step.name, input: step.input(),
            result: String(decoding: json, as: UTF8.self), attempts: (resting[step.number]?.attempts ?? 0) + 1,
            date: runner.wallClock().inMilliseconds)
    }

    /// Adds `record` to the journal, and lets the code go on with it.
    private func append(_ record: WorkflowRecord, to stored: StoredWorkflow, in context: EntityContext) {
        stored.recordCount += 1
        context.insert(StoredWorkflowRecord(record, of: stored.id, position: stored.recordCount))
        resting[record.step] = nil
        (isAhead, hasNews) = (true, true)
        replay?.apply(record)
    }

    // MARK: Units of work

    /// Runs `body`, which changes the instance, on the instance as the unit of work before has stored it.
    ///
    /// It isn't read again, so that the next steps of many instances go into one batch of commits.
    private nonisolated(nonsending) func executeNext(
        _ body: nonisolated(nonsending) (EntityContext, StoredWorkflow) async throws -> Void
    ) async throws -> Bool {
        let document = units.keptDocument
        do {
            return try await execute(on: document, body)
        } catch let error as StoreError where error.code == .versionConflict && error.entity == document?.reference {
            // Something has happened to the instance, such as an event.
            return try await execute(body)
        }
    }

    /// Runs `body` in a unit of work, and then settles the instance of `document`, or the stored one without it.
    ///
    /// - Returns: Whether the turn is over.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `versionConflict` if another relay has gone on with the instance.
    private nonisolated(nonsending) func execute(
        on document: StoredDocument? = nil,
        _ body: nonisolated(nonsending) (EntityContext, StoredWorkflow) async throws -> Void
    ) async throws -> Bool {
        hasNews = false
        defer { heldQueue = nil }
        var next = place
        let isOver = try await units.execute { context in
            guard let stored = try await find(in: context, document) else { return true }
            context.keep(stored)
            reached = stored.turnDue ?? reached
            if stored.state == .queued {
                try await holdQueue(of: stored)
                if try await !context.findPlace(for: stored, at: runner.wallClock()) {
                    stored.endTurn()
                    return true
                }
            }
            if let place, place != (stored.round, stored.recordCount) {
                // Another relay has gone on with the instance.
                let reference = EntityReference(kind: StoredWorkflow.entityName, key: stored.id)
                throw StoreError.versionConflict(reference, expected: place.recordCount, stored: stored.recordCount)
            }
            if isAhead { drop() }
            if replay == nil { try await begin(stored, in: context) }
            try await body(context, stored)
            let isOver = try await settle(stored, in: context)
            next = (stored.round, stored.recordCount)
            return isOver
        }
        place = next
        isAhead = false
        return isOver
    }

    /// Waits until no other turn of this process changes the queue of `stored`; the end of the unit of work lets the next one go on.
    private nonisolated(nonsending) func holdQueue(of stored: StoredWorkflow) async throws {
        guard heldQueue == nil, let queue = stored.queue else { return }
        heldQueue = try await runner.queues.acquire([queue])
    }

    /// Returns the instance, from `document` if there is one, or `nil` if the message of this turn is obsolete.
    private nonisolated(nonsending) func find(
        in context: EntityContext,
        _ document: StoredDocument? = nil
    ) async throws -> StoredWorkflow? {
        if let document { return try context.adopt(document, as: StoredWorkflow.self) }
        guard let stored = try await context.find(StoredWorkflow.self, id: message.instance), stored.isOpen,
            stored.turn == message.turn
        else { return nil }
        return stored
    }

    /// Executes the code up to the end of the journal.
    private nonisolated(nonsending) func begin(_ stored: StoredWorkflow, in context: EntityContext) async throws {
        // The commit needn't look for changes of the records.
        let records = try await EntityContext(reading: context.store).journal(of: stored).map(\.record)
        replay = try stored.replay(as: Workflow.self, records)
        isAhead = false
        place = (stored.round, stored.recordCount)
        seed = stored.keySeedOfRound
        resting = Dictionary(stored.waits.filter { $0.attempts > 0 }.map { ($0.step, $0) }) { $1 }
    }

    /// Continues the code as far as it can run without work, and stores its waits.
    ///
    /// - Returns: Whether the turn is over.
    private nonisolated(nonsending) func settle(
        _ stored: StoredWorkflow,
        in context: EntityContext
    ) async throws -> Bool {
        guard let replay else { return true }
        goOnWithoutWork(stored, in: context)
        if let mistake = replay.mistake { throw WorkflowMismatch(reason: mistake) }
        if let successor = replay.successor {
            try await startRound(of: stored, with: successor, in: context)
            return true
        }
        if let outcome = replay.outcome {
            try await end(stored, with: outcome, in: context)
            return true
        }
        let steps = replay.steps
        let isOver = !steps.contains { running.contains($0.number) || ($0.isWork && isDue($0.number)) }
        if !isOver && !hasNews { return false }
        stored.resume(with: steps.map(wait), changes: replay.changes)
        if !isOver { return false }
        stored.endTurn()
        try stored.arm(at: stored.waits.compactMap(\.due).min(), since: runner.wallClock(), in: context)
        return true
    }

    /// Continues the code with a cancellation, events, and the ends of pauses, until it needs work or can't go on.
    private func goOnWithoutWork(_ stored: StoredWorkflow, in context: EntityContext) {
        while let replay, replay.mistake == nil, replay.successor == nil, replay.outcome == nil {
            if stored.mustCancel {
                stored.mustCancel = false
                stored.wasCancelled = true
                append(
                    WorkflowRecord(step: 0, kind: .cancellation, name: "", date: runner.wallClock().inMilliseconds),
                    to: stored,
                    in: context
                )
            } else if let record = nextFree(in: replay.steps, of: stored) {
                append(record, to: stored, in: context)
            } else {
                return
            }
        }
    }

    /// Returns the record of the first step that is done without work, and removes its event.
    private func nextFree(in steps: [WorkflowReplay.Step], of stored: StoredWorkflow) -> WorkflowRecord? {
        for step in steps {
            switch step.work {
            case .change, .run:
                continue
            case .sleep(let due):
                if isDue(due) { return record(of: step, json: Data()) }
            case .event(let due):
                if let index = stored.events.firstIndex(where: { $0.name == step.name }) {
                    let event = stored.events.remove(at: index)
                    var record = record(of: step, json: Data(event.json.utf8))
                    record.version = event.version
                    return record
                }
                if let due, isDue(due) { return record(of: step, json: Data()) }
            }
        }
        return nil
    }

    private nonisolated(nonsending) func startRound(
        of stored: StoredWorkflow,
        with input: Data,
        in context: EntityContext
    ) async throws {
        for record in try await context.journal(of: stored) { context.delete(record) }
        stored.startRound(with: input, version: Workflow.workflowVersion, at: runner.wallClock())
        try stored.arm(at: stored.begunAt, since: stored.begunAt, in: context)
    }

    private nonisolated(nonsending) func end(
        _ stored: StoredWorkflow,
        with outcome: Result<Data, any Error>,
        in context: EntityContext
    ) async throws {
        stored.endTurn()
        try await holdQueue(of: stored)
        let now = runner.wallClock()
        switch outcome {
        case .success(let output):
            stored.output = String(decoding: output, as: UTF8.self)
            try await context.end(stored, as: .completed, at: now)
        case .failure(let error):
            stored.failure = WorkflowStepError(error, step: 0)
            let isCancelled = error is CancellationError && stored.wasCancelled
            try await context.end(stored, as: isCancelled ? .cancelled : .failed, at: now)
            Logger.current.log(
                level: isCancelled ? .notice : .error,
                "A workflow has ended with an error",
                metadata: metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
    }

    /// Stores the reason why the code can't continue, and plans the next turn, which a corrected program can take.
    private nonisolated(nonsending) func block(_ reason: String) async throws {
        drop()
        try await units.execute { context in
            guard let stored = try await find(in: context) else { return true }
            stored.block(reason)
            stored.endTurn()
            var generator = SystemValues.current.randomNumbers
            let backoff = Backoff(base: .seconds(10), factor: 2, longest: .seconds(3_600))
            let pause = backoff.pause(afterAttempt: stored.blockCount, using: &generator)
            let now = runner.wallClock()
            try stored.arm(at: now.advanced(by: pause), since: now, in: context)
            return true
        }
        Logger.current.error("A workflow is blocked", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
    }

    // MARK: Questions

    private func isDue(_ step: Int) -> Bool { resting[step]?.due.map(isDue) ?? true }

    private func isDue(_ date: Date) -> Bool { date <= max(runner.wallClock(), reached) }

    /// The stored form of a step that wasn't done.
    private func wait(for step: WorkflowReplay.Step) -> StoredWorkflow.Wait {
        resting[step.number]
            ?? StoredWorkflow.Wait(
                step: step.number, kind: step.kind, name: step.name, input: step.input(), due: due(of: step))
    }

    /// The time at which the turn must look at the step again.
    private func due(of step: WorkflowReplay.Step) -> Date? {
        switch step.work {
        case .change, .run: resting[step.number]?.due
        case .sleep(let date): date
        case .event(let date): date
        }
    }

    private var metadata: Logger.Metadata { ["headrace.workflow": "\(message.instance)"] }
}
