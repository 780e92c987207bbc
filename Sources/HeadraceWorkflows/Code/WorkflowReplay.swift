// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import Logging
import Synchronization

/// The code of one instance in execution: it runs until it waits for steps, and goes on with their results.
///
/// Everything happens on the thread of the caller, within the calls of this type. The owner of a replay must ``drop()`` it.
/// The code then ends, and its later results are ignored.
final class WorkflowReplay: Sendable {
    /// A step that the code waits for.
    struct Step: Sendable {
        let number: Int
        let kind: WorkflowRecord.Kind
        let name: String

        /// Returns the input as JSON, for people; most replayed steps don't need it.
        let input: @Sendable () -> String?
        let work: StepWork

        var title: String { WorkflowRecord.title(kind, name) }
    }

    /// The result of a step.
    struct StepResult: Sendable {
        let step: Int
        let json: Data
        let version: Int
    }

    private struct State {
        var lastNumber = 0
        var steps: [Int: (step: Step, waiter: CheckedContinuation<StepResult, any Error>)] = [:]

        /// The code that never goes on, because it can't.
        var halted: [CheckedContinuation<StepResult, any Error>] = []
        var outcome: Result<Data, any Error>?
        var mistake: String?
        var now: Date
        var random: SplitMix
        var changes: [String: Bool]
        var isReplaying: Bool
        var successor: Data?
        var isClosed = false
        var refusals = 0
    }

    /// Number of calls of a dropped instance after which its code is stopped where it is.
    ///
    /// Only code that catches each error in an endless loop needs more.
    private static let refusalLimit = 10_000

    private let executor = WorkflowExecutor()
    private let state: Mutex<State>
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a replay at its beginning.
    ///
    /// - Parameters:
    ///   - startedAt: The time at which the instance was started.
    ///   - seed: The seed of its random numbers.
    ///   - changes: The names of the changes that the instance has.
    ///   - isNew: Whether the journal is empty and nothing is waited for.
    init(startedAt: Date, seed: UInt64, changes: [String], isNew: Bool) {
        let changes = Dictionary(changes.map { ($0, true) }) { $1 }
        state = Mutex(State(now: startedAt, random: SplitMix(seed: seed), changes: changes, isReplaying: !isNew))
    }

    // MARK: For the owner

    /// Runs `body`, the code of the workflow, until it waits.
    func start(_ body: @escaping @Sendable () async throws -> Data) {
        executor.drain {
            let running = Task(executorPreference: executor) {
                let outcome: Result<Data, any Error>
                do {
                    outcome = .success(try await body())
                } catch {
                    outcome = .failure(error)
                }
                self.state.withLock { $0.outcome = outcome }
            }
            task.withLock { $0 = running }
        }
        check()
    }

    /// The steps that the code waits for, in the order in which it has asked.
    var steps: [Step] { state.withLock { $0.steps.values.map(\.step).sorted { $0.number < $1.number } } }

    /// The result or error of the code; `nil` while it waits.
    var outcome: Result<Data, any Error>? { state.withLock { $0.outcome } }

    /// The input of the next round as JSON, if the code has asked for another round.
    var successor: Data? { state.withLock { $0.successor } }

    /// Why the code can't go on; `nil` if it can.
    var mistake: String? { state.withLock { $0.mistake } }

    /// The names of the changes that the instance has.
    var changes: [String] { state.withLock { $0.changes.filter(\.value).keys.sorted() } }

    /// Passes the stored steps to the code, in their order; stops at the first that the code doesn't ask for.
    ///
    /// - Parameters:
    ///   - records: The journal.
    ///   - waits: The steps that the code has asked for and that weren't done.
    func replay(_ records: [WorkflowRecord], waits: [StoredWorkflow.Wait]) {
        for (index, record) in records.enumerated() {
            if mistake != nil { return }
            state.withLock { $0.isReplaying = index < records.count - 1 || !waits.isEmpty }
            apply(record)
        }
        state.withLock { $0.isReplaying = false }
        for wait in waits where mistake == nil {
            guard let step = state.withLock({ $0.steps[wait.step]?.step }) else {
                fail("The journal waits for step \(wait.step), \(wait.title), which the code no longer asks for.")
                return
            }
            require(step, isLike: wait.title)
        }
    }

    /// Lets the code go on with the content of `record`.
    func apply(_ record: WorkflowRecord) {
        if record.kind == .cancellation { return cancel(at: record.date) }
        guard let step = state.withLock({ $0.steps[record.step]?.step }) else {
            let isOver = outcome != nil
            return fail(
                """
                In the journal, step \(record.step) is \(record.title), which the code \
                \(isOver ? "doesn't ask for, because it has ended" : "doesn't ask for").
                """
            )
        }
        if !record.isLike(step.kind, step.name) { return require(step, isLike: record.title) }
        let waiter = state.withLock { state in
            state.now = record.date
            return state.steps.removeValue(forKey: record.step)?.waiter
        }
        executor.drain {
            if let failure = record.failure {
                waiter?.resume(throwing: failure)
            } else {
                waiter?.resume(
                    returning: StepResult(step: record.step, json: Data(record.result.utf8), version: record.version))
            }
        }
        check()
    }

    /// Lets each step that the code waits for throw `CancellationError`.
    private func cancel(at date: Date) {
        let waiters = state.withLock { state in
            state.now = date
            defer { state.steps = [:] }
            return state.steps.sorted { $0.key < $1.key }.map(\.value.waiter)
        }
        executor.drain { for waiter in waiters { waiter.resume(throwing: CancellationError()) } }
        check()
    }

    private func require(_ step: Step, isLike title: String) {
        if step.title == title { return }
        fail("In the journal, step \(step.number) is \(title); the code now asks for \(step.title).")
    }

    /// Finds out whether the code waits for something that isn't a step.
    private func check() {
        let isStuck = state.withLock { $0.mistake == nil && $0.outcome == nil && $0.steps.isEmpty }
        if isStuck || executor.hasStrayJobs {
            fail("The code awaits something that isn't a step, so it can't be repeated.")
        }
    }

    /// Stops the code for ever.
    func fail(_ mistake: String) { state.withLock { $0.mistake = $0.mistake ?? mistake } }

    /// Ends the code: each step that it waits for throws an error, and so does each further call.
    func drop() {
        executor.close()
        let waiters = state.withLock { state in
            state.isClosed = true
            defer {
                state.steps = [:]
                state.halted = []
            }
            return state.steps.sorted { $0.key < $1.key }.map(\.value.waiter) + state.halted
        }
        executor.drain {
            task.withLock { $0?.cancel() }
            for waiter in waiters { waiter.resume(throwing: WorkflowDropped()) }
        }
    }

    // MARK: For the code of the workflow

    /// The time of the last result.
    var now: Date { state.withLock { $0.now } }

    func nextRandom() -> UInt64 { state.withLock { $0.random.next() } }

    /// Returns the result of the next step, when there is one.
    func result(
        of kind: WorkflowRecord.Kind,
        named name: String,
        input: @autoclosure @escaping @Sendable () -> String? = nil,
        _ work: StepWork
    ) async throws -> StepResult {
        try await withCheckedThrowingContinuation { waiter in
            let isRefused = state.withLock { state in
                if state.isClosed {
                    state.refusals += 1
                    if state.refusals <= Self.refusalLimit { return true }
                    Logger.current.error(
                        "The code of a workflow catches each error in an endless loop, so its task stays in memory",
                        metadata: ["headrace.workflow.step": "\(WorkflowRecord.title(kind, name))"]
                    )
                    state.halted.append(waiter)
                    return false
                }
                state.lastNumber += 1
                let step = Step(number: state.lastNumber, kind: kind, name: name, input: input, work: work)
                state.steps[step.number] = (step, waiter)
                return false
            }
            if isRefused { waiter.resume(throwing: WorkflowDropped()) }
        }
    }

    /// Never returns: the instance can't go on.
    func halt(_ mistake: String) async throws -> Never {
        fail(mistake)
        _ = try await withCheckedThrowingContinuation { waiter in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.halted.append(waiter) }
                return state.isClosed
            }
            if isClosed { waiter.resume(throwing: WorkflowDropped()) }
        }
        throw WorkflowDropped()
    }

    /// Ends the round; the next round begins with `input`.
    func continueAsNew(with input: Data) async throws -> Never {
        state.withLock { $0.successor = input }
        throw WorkflowDropped()
    }

    /// Whether the instance has the change `name`; an instance that has passed this point before doesn't.
    func hasChange(_ name: String) -> Bool {
        state.withLock { state in
            if let known = state.changes[name] { return known }
            state.changes[name] = !state.isReplaying
            return !state.isReplaying
        }
    }
}

extension WorkflowReplay.Step {
    /// Whether a turn must do something for the step.
    var isWork: Bool {
        switch work {
        case .change, .run: true
        case .sleep, .event: false
        }
    }

    /// How often the step is repeated; `nil` for the policy of the relay.
    var retry: StepRetry? {
        switch work {
        case .change(let retry, _): retry
        case .run(let retry, _): retry
        case .sleep, .event: nil
        }
    }
}

/// The work of a step.
enum StepWork: Sendable {
    /// Changes entities, and returns the result as JSON.
    typealias Change =
        nonisolated(nonsending) @Sendable (EntityContext, any DependencyResolutionScope) async throws -> Data

    /// Returns the result as JSON.
    typealias Run = nonisolated(nonsending) @Sendable (WorkflowStep) async throws -> Data

    /// Changes in the unit of work that stores the result.
    case change(StepRetry?, Change)

    /// Work outside of any unit of work.
    case run(StepRetry?, Run)

    /// Nothing, until a time.
    case sleep(Date)

    /// The wait for an event, or until a time.
    case event(until: Date?)
}

/// The error of each step of an instance that was dropped; no result of the code counts any more.
struct WorkflowDropped: Error {}
