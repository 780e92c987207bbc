// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCommands
import HeadraceCore
public import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
public import HeadraceResolution
import HeadraceStorage
public import HeadraceWorkflows
import Synchronization

/// One instance of a workflow with doubles, on a clock that the test advances.
///
/// ```swift
/// let dispatcher = RecordingDispatcher()
/// dispatcher.stub(TakePayment.self) { _ in "P1" }
/// let fulfilment = TestWorkflow(Fulfilment(order: order), id: order, dispatcher: dispatcher)
///
/// try await fulfilment.run { instance in
///     try await instance.advance(by: .seconds(86_400))
///     try await instance.receive(Packed(order: order))
///     #expect(try await instance.result() == Receipt(payment: "P1"))
///     #expect(try await instance.steps().first == "the command 'take-payment'")
/// }
/// ```
///
/// The test needs neither a store nor a relay. Each call of ``run(_:)`` or ``crashAfterEachStep(_:)`` begins with an empty store in
/// memory. No real time passes, and the date, the UUIDs, and the random numbers of ``HeadraceCore/SystemValues`` belong to the test.
///
/// ``crashAfterEachStep(_:)`` checks whether the code of the workflow can be repeated.
public struct TestWorkflow<Workflow: DurableWorkflow>: Sendable {
    private let workflow: Workflow
    private let key: String
    private let workflows: [any DurableWorkflow.Type]
    private let entities: [any StoredEntity.Type]
    private let seed: UInt64
    private let register: @Sendable (ContainerBuilder) -> Void
    private let given: nonisolated(nonsending) @Sendable (EntityContext) async throws -> Void

    /// Creates the description of a test.
    ///
    /// - Parameters:
    ///   - workflow: The workflow with its input.
    ///   - id: The identifier of the instance, by which events reach it.
    ///   - dispatcher: Carries out the commands; `nil` if `register` registers a dispatcher, or if there are no commands.
    ///   - workflows: The other workflows that the workflow runs.
    ///   - entities: The types that transactions and handlers store.
    ///   - seed: The seed of the random numbers and of the random bits in UUIDs.
    ///   - register: Registers what steps resolve. It is called for the container of each process, so objects that it captures are
    ///     shared by all of them, as another system is.
    ///   - given: Stores what the workflow needs, in one unit of work before the start.
    public init(
        _ workflow: Workflow,
        id: some EntityIdentifier,
        dispatcher: (any CommandQueryDispatcher)? = nil,
        workflows: [any DurableWorkflow.Type] = [],
        entities: [any StoredEntity.Type] = [],
        seed: UInt64 = 1,
        register: @escaping @Sendable (ContainerBuilder) -> Void = { _ in },
        given: nonisolated(nonsending) @escaping @Sendable (EntityContext) async throws -> Void = { _ in }
    ) {
        self.workflow = workflow
        key = id.storageKey
        self.workflows = [Workflow.self] + workflows
        self.entities = entities
        self.seed = seed
        self.given = given
        self.register = { builder in
            if let dispatcher { builder.singleton((any CommandQueryDispatcher).self) { dispatcher } }
            register(builder)
        }
    }

    /// Starts the instance, lets it go on until it waits, and runs `operation`.
    ///
    /// - Parameter operation: The test, which runs on the actor of the caller.
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`, of `given`, and of ``Instance/untilIdle()``.
    public nonisolated(nonsending) func run<Result>(
        _ operation: nonisolated(nonsending) (Instance) async throws -> Result
    ) async throws -> Result {
        try await run(crashing: false, operation)
    }

    /// Runs `operation` once as ``run(_:)`` does, and once with a crash after each step, and checks that nothing differs.
    ///
    /// ```swift
    /// try await fulfilment.crashAfterEachStep { instance in
    ///     try await instance.receive(Packed(order: order))
    /// }
    /// ```
    ///
    /// The second time, the process ends after each commit that changes an instance: after the result of a step, an event, a pause,
    /// or the plan for another attempt is stored. Later work of the process is lost. A new process, with another container,
    /// another relay, and other UUIDs and random numbers, goes on from the journal at the same time of the clock. So the code of the
    /// workflow is repeated from each prefix of the journal. `operation` doesn't notice the crashes.
    ///
    /// It checks that:
    /// - the code asks for the steps in the journal each time;
    /// - the instance has the same state, result, error, and waits at the end, and has done the same steps with the same commands;
    /// - the store has the same number of entities of each type and the same events, so no change in the store has happened twice
    ///   or not at all.
    ///
    /// The operation of a step can be called again, because a crash can prevent that its result is stored: commands and transactions
    /// without an effect in the store meanwhile, and the closures of `step` with the same idempotency key. So a double must give
    /// the same answer each time, and may be called more often the second time; assert its calls in ``run(_:)``.
    ///
    /// - Parameter operation: The test, which runs twice on the actor of the caller, each time with an empty store.
    /// - Throws: ``TestWorkflowError`` with the code `blocked` or `differs`, and a message with the differences; the errors of ``run(_:)``.
    public nonisolated(nonsending) func crashAfterEachStep(
        _ operation: nonisolated(nonsending) (Instance) async throws -> Void
    ) async throws {
        let outcomes = [
            try await outcome(crashing: false, operation),
            try await outcome(crashing: true, operation),
        ]
        let names = Set(outcomes.flatMap(\.keys)).sorted()
        let differences = names.compactMap { name -> String? in
            let values = outcomes.map { $0[name] ?? "nothing" }
            return values[0] == values[1] ? nil : "\(name): \(values[0]) without crashes, \(values[1]) with crashes"
        }
        if !differences.isEmpty { throw TestWorkflowError.differs(Workflow.self, differences) }
    }

    private nonisolated(nonsending) func outcome(
        crashing: Bool,
        _ operation: nonisolated(nonsending) (Instance) async throws -> Void
    ) async throws -> [String: String] {
        try await run(crashing: crashing) { instance in
            try await operation(instance)
            try await instance.untilIdle()
            return try await instance.outcome(entities)
        }
    }

    private nonisolated(nonsending) func run<Result>(
        crashing: Bool,
        _ operation: nonisolated(nonsending) (Instance) async throws -> Result
    ) async throws -> Result {
        let store = try InMemoryStore(entities: [StoredWorkflow.self] + entities)
        let clock = TestClock()
        return try await SystemValues.withCurrent(.test(clock: clock, seed: seed)) {
            let instance = Instance(key: key, clock: clock, store: store) { number in
                // The first process has the same numbers as one that doesn't crash.
                let values = SystemValues.test(clock: clock, seed: seed &+ number)
                return WorkflowProcess(
                    store: CrashingStore(store, crashes: crashing), workflows: workflows, values: values, register)
            }
            // No relay runs yet, so the start always takes the same numbers.
            try await instance.execute { context in
                try await given(context)
                try await context.start(workflow, id: key)
            }
            instance.startProcess()
            do {
                try await instance.untilIdle()
                let result = try await operation(instance)
                await instance.endProcess()
                return result
            } catch {
                await instance.endProcess()
                throw error
            }
        }
    }
}

extension TestWorkflow {
    /// A running instance of a workflow.
    public final class Instance: Sendable {
        /// The clock, which is also the source of the date.
        public let clock: TestClock

        /// The instances in the store, also those that the workflow runs.
        public var workflows: Workflows {
            let clock = clock
            return Workflows(on: store, delegator: process.withLock(\.delegator)) { clock.date }
        }

        private let key: String
        private let store: InMemoryStore
        private let makeProcess: @Sendable (UInt64) -> WorkflowProcess
        private let process: Mutex<WorkflowProcess>
        private let processCount = Mutex<UInt64>(0)
        private let failures = HandlerFailures()

        init(
            key: String,
            clock: TestClock,
            store: InMemoryStore,
            _ makeProcess: @escaping @Sendable (UInt64) -> WorkflowProcess
        ) {
            self.key = key
            self.clock = clock
            self.store = store
            self.makeProcess = makeProcess
            process = Mutex(makeProcess(0))
        }

        // MARK: What happens to the instance

        /// Raises `event` in a unit of work, and returns when the instance waits or has ended.
        ///
        /// - Throws: ``HeadraceStorage/StoreError``; the errors of ``untilIdle()``.
        public nonisolated(nonsending) func receive(_ event: some DurableDomainEvent) async throws {
            try await execute { $0.raiseEvent(event) }
            try await untilIdle()
        }

        /// Cancels the instance, and returns when it waits or has ended.
        ///
        /// - Throws: The errors of `cancel(_:id:)` of `Workflows`; the errors of ``untilIdle()``.
        public nonisolated(nonsending) func cancel() async throws {
            try await workflows.cancel(Workflow.self, id: key)
            try await untilIdle()
        }

        /// Advances the clock by `duration`, and lets the instance go on at each time for which it waits.
        ///
        /// - Parameter duration: The step; it must not be negative.
        /// - Throws: The errors of ``untilIdle()``.
        public nonisolated(nonsending) func advance(by duration: Duration) async throws {
            try await clock.advance(by: duration) { try await idle() }
            try await check()
        }

        /// Returns when nothing is due: the instance, and each that it runs, waits or has ended.
        ///
        /// - Throws: ``TestWorkflowError`` with the code `blocked` if the code of an instance doesn't fit its journal;
        ///   ``HeadraceRelay/RelayError`` with the code `handlerFailed` if a handler of an event has failed; `CancellationError`.
        public nonisolated(nonsending) func untilIdle() async throws {
            _ = try await idle()
            try await check()
        }

        /// Runs `body` in a unit of work of the test, which is never lost by a crash.
        ///
        /// - Parameter body: Reads and changes entities, and raises events.
        /// - Returns: The result of `body`.
        /// - Throws: The errors of `body`; ``HeadraceStorage/StoreError``.
        public nonisolated(nonsending) func execute<Result>(
            _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
        ) async throws -> Result {
            try await UnitOfWork(on: store, delegator: process.withLock(\.delegator)).execute(body)
        }

        // MARK: What the instance has done

        /// Returns the result of the instance, which must have ended.
        ///
        /// - Throws: ``TestWorkflowError`` with the code `notEnded` if the instance waits; ``HeadraceWorkflows/WorkflowError`` if it has
        ///   ended without a result.
        public nonisolated(nonsending) func result() async throws -> Workflow.Output {
            let status = try await status()
            if status.endedAt == nil { throw TestWorkflowError.notEnded(status) }
            return try await workflows.result(of: Workflow.self, id: key)
        }

        /// Returns the state of the instance.
        ///
        /// - Throws: ``HeadraceStorage/StoreError``.
        public nonisolated(nonsending) func status() async throws -> WorkflowStatus {
            guard let status = try await workflows.status(of: Workflow.self, id: key) else {
                throw TestWorkflowError.removed(Workflow.self)
            }
            return status
        }

        /// Returns the steps that were done, in the order in which the code has asked for them.
        ///
        /// Each is in a few words: "the command 'take-payment'", "the step 'mail'", "the transaction 'survey'", "a pause", or
        /// "the wait for 'packed'". After `continueAsNew`, only the steps of the last round are there.
        ///
        /// - Throws: ``HeadraceStorage/StoreError``.
        public nonisolated(nonsending) func steps() async throws -> [String] { try await records().map(\.title) }

        /// Returns what the instance waits for, each in the words of ``steps()``; nothing if it has ended.
        ///
        /// - Throws: ``HeadraceStorage/StoreError``.
        public nonisolated(nonsending) func waits() async throws -> [String] { try await status().waits }

        private nonisolated(nonsending) func records() async throws -> [WorkflowRecord] {
            let id = StoredWorkflow.id(of: Workflow.workflowName, key: key)
            let context = EntityContext(reading: store)
            guard let stored = try await context.find(StoredWorkflow.self, id: id) else { return [] }
            return try await context.journal(of: stored).map(\.record)
                .filter { $0.step > 0 }
                .sorted { $0.step < $1.step }
        }

        /// The facts that must not depend on crashes.
        fileprivate nonisolated(nonsending) func outcome(
            _ entities: [any StoredEntity.Type]
        ) async throws -> [String: String] {
            let id = StoredWorkflow.id(of: Workflow.workflowName, key: key)
            guard let stored = try await EntityContext(reading: store).find(StoredWorkflow.self, id: id) else {
                throw TestWorkflowError.removed(Workflow.self)
            }
            var outcome = [
                "The state": stored.state.rawValue,
                "The result": stored.output ?? "nothing",
                "The error": stored.failure.map { "\($0)" } ?? "nothing",
                "The waits": "\(stored.waits.map(\.title))",
            ]
            for record in try await records() {
                outcome["Step \(record.step)"] = [record.title, record.input].compactMap(\.self).joined(separator: " ")
            }
            for entity in entities {
                let count = try await store.count(DocumentQuery(kind: entity.entityName))
                outcome["The number of '\(entity.entityName)'"] = "\(count)"
            }
            let events = try await store.events(after: 0, limit: .max).map(\.event.name)
            outcome["The events"] = "\(events.sorted())"
            return outcome
        }

        // MARK: Processes

        fileprivate func startProcess() {
            let failures = failures
            process.withLock { $0.start(failures) }
        }

        fileprivate nonisolated(nonsending) func endProcess() async {
            await process.withLock(\.self).end()
        }

        /// Waits until the process is idle; if it has crashed, a new one goes on.
        private nonisolated(nonsending) func idle() async throws -> Date? {
            while true {
                let current = process.withLock(\.self)
                do {
                    let due = try await current.relay.idle()
                    if !current.store.hasCrashed { return due }
                } catch  where current.store.hasCrashed && !Task.isCancelled {}
                await current.end()
                let number = processCount.withLock { count in
                    count += 1
                    return count
                }
                process.withLock { $0 = makeProcess(number) }
                startProcess()
            }
        }

        private nonisolated(nonsending) func check() async throws {
            let blocked = try await workflows.list(in: .blocked).instances
            if !blocked.isEmpty { throw TestWorkflowError.blocked(blocked) }
            try failures.check()
        }
    }
}

/// The parts of a program that end in a crash: the container, the relay, and the tasks.
struct WorkflowProcess: Sendable {
    let store: CrashingStore
    let relay: Relay
    let delegator: any DomainEventDelegator

    private let container: Container
    private let values: SystemValues
    private var task: Task<Void, any Error>?

    init(
        store: CrashingStore,
        workflows: [any DurableWorkflow.Type],
        values: SystemValues,
        _ register: (ContainerBuilder) -> Void
    ) {
        let builder = ContainerBuilder()
        builder.domain(store: store, workflows: workflows)
        register(builder)
        container = builder.build()
        self.store = store
        self.values = values
        relay = container.resolve()
        delegator = container.resolve()
    }

    mutating func start(_ observer: any RelayObserver) {
        relay.add(observer)
        let relay = relay
        task = SystemValues.withCurrent(values) { Task { try await relay.run() } }
    }

    /// Ends all tasks of the process; a unit of work that hasn't committed is lost.
    nonisolated(nonsending) func end() async {
        task?.cancel()
        _ = await task?.result
    }
}

/// A store whose process ends after the first commit that changes an instance of a workflow.
///
/// Only what changes the store is refused then. Leases can still be released; in a real crash, they expire.
final class CrashingStore: StoreDecorator {
    private struct State {
        /// Whether the last commit has begun.
        var isEnding = false

        /// Whether another task knows that the process has ended.
        var hasRefused = false
    }

    let base: any DeliveryStore

    private let crashes: Bool
    private let state = Mutex(State())

    init(_ base: any DeliveryStore, crashes: Bool) {
        self.base = base
        self.crashes = crashes
    }

    var hasCrashed: Bool { state.withLock(\.isEnding) }

    func commit(_ changes: ChangeSet) async throws {
        let isLast = crashes && changes.writes.contains { $0.document.reference.kind == StoredWorkflow.entityName }
        try requireProcess(endsNow: isLast)
        do {
            try await base.commit(changes)
        } catch {
            // A commit that was refused is no step.
            if isLast { state.withLock { $0.isEnding = $0.hasRefused } }
            throw error
        }
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try requireProcess()
        return try await base.lease(request)
    }

    func deliveryStatistics() async throws -> DeliveryStatistics {
        try requireProcess()
        return try await base.deliveryStatistics()
    }

    private func requireProcess(endsNow: Bool = false) throws {
        try state.withLock { state in
            if state.isEnding {
                state.hasRefused = true
                throw StoreError(code: .closed, message: "The process has ended, as the test wants.")
            }
            state.isEnding = endsNow
        }
    }
}
