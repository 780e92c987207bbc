// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCommands
public import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage

/// The steps of an instance of a ``DurableWorkflow``.
///
/// The code of the workflow must not use it outside of `run(_:)` and its child tasks.
public struct WorkflowContext: Sendable {
    /// The stored text of the instance's identifier.
    public let id: String

    /// The identifier of the stored instance.
    let instance: String

    let replay: WorkflowReplay

    /// Dispatches `command`, which takes effect once: its changes in the store of the workflow and its result are stored in one
    /// transaction.
    ///
    /// The dispatcher of the container carries it out, with all of its middleware. Calls of other systems in its handler can
    /// happen more than once; use a `step` for them.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - retry: How often it is repeated if it fails; `nil` for the attempts and pauses of the relay. An error that isn't
    ///     retryable, according to ``HeadraceCore/RetryableError``, isn't repeated.
    /// - Returns: The result.
    /// - Throws: ``WorkflowStepError`` after the last attempt; `CancellationError` if the instance was cancelled.
    @discardableResult
    public func dispatch<Command: DurableCommand & CQDCommand>(
        _ command: Command,
        retry: StepRetry? = nil
    ) async throws -> Command.Output where Command.Output: Codable & Sendable {
        try await value(
            of: .command, named: Command.commandName, input: text(command),
            .change(retry) { _, scope in
                let output = try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
                return try json([output])
            }
        )
    }

    /// Dispatches `command`, which has no result, in the same way.
    ///
    /// - Throws: The same errors.
    public func dispatch<Command: DurableCommand & CQDCommand>(
        _ command: Command,
        retry: StepRetry? = nil
    ) async throws where Command.Output == Void {
        _ = try await replay.result(
            of: .command, named: Command.commandName, input: text(command),
            .change(retry) { _, scope in
                try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
                return Data()
            }
        )
    }

    /// Runs `body` in the unit of work that stores its result, so its changes take effect once.
    ///
    /// - Parameters:
    ///   - name: The name, from a small set of names, because it is also a metric label.
    ///   - retry: How often it is repeated if it fails; `nil` for the attempts and pauses of the relay.
    ///   - body: Changes entities, raises events, and sends commands.
    /// - Returns: The result of `body`.
    /// - Throws: ``WorkflowStepError`` after the last attempt; `CancellationError` if the instance was cancelled.
    public func transaction<Value: Codable & Sendable>(
        _ name: String,
        retry: StepRetry? = nil,
        _ body: nonisolated(nonsending) @escaping @Sendable (EntityContext) async throws -> Value
    ) async throws -> Value {
        try await value(
            of: .transaction, named: name, input: nil,
            .change(retry) { context, _ in try json([try await body(context)]) }
        )
    }

    /// Runs `body`, which has no result, in the same way.
    ///
    /// - Throws: The same errors.
    public func transaction(
        _ name: String,
        retry: StepRetry? = nil,
        _ body: nonisolated(nonsending) @escaping @Sendable (EntityContext) async throws -> Void
    ) async throws {
        _ = try await replay.result(
            of: .transaction, named: name,
            .change(retry) { context, _ in
                try await body(context)
                return Data()
            }
        )
    }

    /// Runs `body` outside of any transaction, at least once: for calls of other systems.
    ///
    /// If the process ends before the result is stored, `body` runs again, with the same ``WorkflowStep/idempotencyKey``. Steps
    /// of child tasks run at the same time.
    ///
    /// ```swift
    /// let receipt = try await flow.step("charge") { step in
    ///     try await step.resolve(PaymentService.self).charge(amount, key: step.idempotencyKey)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name, from a small set of names, because it is also a metric label.
    ///   - retry: How often it is repeated if it fails; `nil` for the attempts and pauses of the relay.
    ///   - body: Calls the other system.
    /// - Returns: The result of `body`.
    /// - Throws: ``WorkflowStepError`` after the last attempt; `CancellationError` if the instance was cancelled.
    public func step<Value: Codable & Sendable>(
        _ name: String,
        retry: StepRetry? = nil,
        _ body: nonisolated(nonsending) @escaping @Sendable (WorkflowStep) async throws -> Value
    ) async throws -> Value {
        try await value(of: .step, named: name, input: nil, .run(retry) { step in try json([try await body(step)]) })
    }

    /// Runs `body`, which has no result, in the same way.
    ///
    /// - Throws: The same errors.
    public func step(
        _ name: String,
        retry: StepRetry? = nil,
        _ body: nonisolated(nonsending) @escaping @Sendable (WorkflowStep) async throws -> Void
    ) async throws {
        _ = try await replay.result(
            of: .step, named: name,
            .run(retry) { step in
                try await body(step)
                return Data()
            }
        )
    }

    /// Waits for `duration`, which may be years; meanwhile, the instance takes no memory.
    ///
    /// - Throws: `CancellationError` if the instance was cancelled.
    public func sleep(for duration: Duration) async throws { try await sleep(until: now.advanced(by: duration)) }

    /// Waits until `date`; a date in the past means no wait.
    ///
    /// - Throws: `CancellationError` if the instance was cancelled.
    public func sleep(until date: Date) async throws {
        _ = try await replay.result(of: .sleep, named: "", .sleep(date))
    }

    /// Waits for the next event of `type` that reaches the instance.
    ///
    /// Events that have come since the instance was started are received in order, each once, also if the code began to wait
    /// later.
    ///
    /// - Parameter type: The type of event, which ``DurableWorkflow/receives`` must list.
    /// - Returns: The event.
    /// - Throws: `CancellationError` if the instance was cancelled.
    public func next<Event: DurableDomainEvent>(_ type: Event.Type) async throws -> Event {
        guard let event = try await next(type, until: nil) else { try await replay.halt("The event has no content.") }
        return event
    }

    /// Waits for the next event of `type` that reaches the instance, for `duration` at most.
    ///
    /// - Parameters:
    ///   - type: The type of event, which ``DurableWorkflow/receives`` must list.
    ///   - duration: The time from ``now`` on.
    /// - Returns: The event; `nil` if none has come in time.
    /// - Throws: `CancellationError` if the instance was cancelled.
    public func next<Event: DurableDomainEvent>(_ type: Event.Type, within duration: Duration) async throws -> Event? {
        try await next(type, until: now.advanced(by: duration))
    }

    private func next<Event: DurableDomainEvent>(_ type: Event.Type, until date: Date?) async throws -> Event? {
        let result = try await replay.result(of: .event, named: Event.eventName, .event(until: date))
        if result.json.isEmpty { return nil }
        do {
            let isOld = result.version < Event.eventVersion
            let json = isOld ? try Event.eventMigrations.migrate(result.json, from: result.version) : result.json
            return try DocumentCoding.decode(type, from: json)
        } catch {
            try await replay.halt(
                "The stored event '\(Event.eventName)' does not decode as '\(String(naming: type))': \(error)")
        }
    }

    /// Starts an instance of `workflow`, and waits for its result.
    ///
    /// The other instance has its own journal. If the identifier has an instance already, this waits for that
    /// instance. If this instance is cancelled, the other goes on.
    ///
    /// - Parameters:
    ///   - workflow: The workflow with its input.
    ///   - id: The identifier, unique among the instances of the workflow.
    /// - Returns: The result.
    /// - Throws: ``WorkflowStepError`` if the instance has failed or was ended otherwise; `CancellationError` if this instance was
    ///   cancelled.
    public func run<Child: DurableWorkflow>(
        _ workflow: Child,
        id: some EntityIdentifier
    ) async throws -> Child.Output {
        let child = StoredWorkflow.id(of: Child.workflowName, key: id.storageKey)
        let parent = instance
        _ = try await replay.result(
            of: .workflow, named: Child.workflowName, input: text(workflow),
            .change(nil) { context, _ in
                try await context.start(workflow, id: id)
                try await context.announce(theEndOf: child, to: parent)
                // A fork needs it, to receive the end of the instance, too.
                return Data(child.utf8)
            }
        )
        let result = try await replay.result(
            of: .event, named: WorkflowEnd.name(of: child), .event(until: nil))
        let end: WorkflowEnd
        do {
            end = try DocumentCoding.decode(WorkflowEnd.self, from: result.json)
            if let output = end.output, let coding = OutcomeCoding(Child.Output.self) {
                return try coding.decode(Data(output.utf8))
            }
        } catch {
            try await replay.halt(
                "The result of the workflow '\(child)' does not decode as '\(String(naming: Child.Output.self))': \(error)"
            )
        }
        throw end.failure
            ?? WorkflowStepError(
                WorkflowError.ended(workflow: Child.workflowName, id: id.storageKey, end.state), step: 0)
    }

    /// The time of the last step, which is the same in each replay.
    public var now: Date { replay.now }

    /// Returns a new UUID, which is the same in each replay.
    public func uuid() -> UUID {
        var generator = random
        return .version8(using: &generator)
    }

    /// Random numbers, which are the same in each replay.
    public var random: RandomNumbers { RandomNumbers { [replay] in replay.nextRandom() } }

    /// Whether the instance has a change of the code, so that new code can differ from the code of earlier instances.
    ///
    /// ```swift
    /// if flow.changed("reserve-first") { try await flow.dispatch(ReserveStock(order: order)) }
    /// try await flow.dispatch(TakePayment(order: order))
    /// ```
    ///
    /// It is `true` for instances that reach this point first with the new code, and `false` for those that have passed it before.
    /// Once no earlier instance is open, remove the call and the old branch; the name stays stored and does no harm.
    ///
    /// - Parameter name: The name of the change, which no other change of the workflow has.
    /// - Returns: Whether the code must take the new branch.
    public func changed(_ name: String) -> Bool { replay.hasChange(name) }

    /// Ends this round of the instance, and starts the next round with another input and an empty journal.
    ///
    /// So an instance can go on for ever.
    ///
    /// The identifier, and the events that weren't received, stay. Steps of child tasks that weren't done are given up.
    ///
    /// - Throws: An error that must leave `run(_:)`; the errors of encoding.
    public func continueAsNew<Workflow: DurableWorkflow>(_ workflow: Workflow) async throws -> Never {
        if !instance.hasPrefix("\(Workflow.workflowName)/") {
            try await replay.halt(
                "The instance can't continue as '\(String(naming: Workflow.self))'. To fix, pass a value of its own workflow."
            )
        }
        try await replay.continueAsNew(with: DocumentCoding.encode(workflow))
    }

    /// Returns the result of a step, decoded.
    private func value<Value: Codable & Sendable>(
        of kind: WorkflowRecord.Kind,
        named name: String,
        input: @autoclosure @escaping @Sendable () -> String?,
        _ work: StepWork
    ) async throws -> Value {
        let result = try await replay.result(of: kind, named: name, input: input(), work)
        do {
            let values = try DocumentCoding.decode([Value].self, from: result.json)
            if let value = values.first { return value }
        } catch {
            let title = WorkflowRecord.title(kind, name)
            try await replay.halt(
                "The stored result of \(title) does not decode as '\(String(naming: Value.self))': \(error)")
        }
        try await replay.halt("The stored result of \(WorkflowRecord.title(kind, name)) is empty.")
    }
}

/// Encodes `value` as a result; a list, because not every decoder accepts a bare `nil` as JSON.
private func json(_ value: some Encodable) throws -> Data { try DocumentCoding.encode(value) }

/// Encodes `value` as the input that inspectors show; `nil` if it doesn't encode.
private func text(_ value: some Encodable) -> String? {
    (try? DocumentCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
}

/// One attempt at a step that runs outside of any transaction.
public struct WorkflowStep: Sendable {
    /// The key of the step: the same in each attempt and after each crash, and unique to the step.
    ///
    /// Pass it to the other system, so that it carries out a repeated request once.
    public let idempotencyKey: UUID

    /// Number of the attempt, counting from 1.
    ///
    /// An attempt that ends with its process doesn't count.
    public let attempt: Int

    private let scope: any DependencyResolutionScope

    init(idempotencyKey: UUID, attempt: Int, scope: any DependencyResolutionScope) {
        self.idempotencyKey = idempotencyKey
        self.attempt = attempt
        self.scope = scope
    }

    /// The key of the step with the number `step` in a round with the seed `seed`.
    static func key(of step: Int, seed: UInt64) -> UUID {
        var generator = SplitMix(seed: ~seed &+ UInt64(step) << 32)
        return .version8(using: &generator)
    }

    /// Returns an object of `type` from the container.
    ///
    /// - Throws: `ResolutionError` if nothing of this type is registered.
    public func resolve<T>(_ type: T.Type = T.self) throws -> T { try scope.require(type) }
}
