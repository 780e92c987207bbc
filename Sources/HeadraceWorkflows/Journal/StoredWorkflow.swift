// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// The stored state of an instance of a ``DurableWorkflow``: add the type to the `entities` of the store.
///
/// ```swift
/// let store = try InMemoryStore(entities: [StoredWorkflow.self, Order.self])
/// ```
///
/// ``Workflows`` reads it. The store also keeps its journal, with a document for each record.
public final class StoredWorkflow: StoredEntity, OwnerOfEntities {
    /// The name under which instances are stored.
    public static let entityName = "headrace.workflow"

    /// The indexes, for ``Workflows``.
    public static var indexes: [EntityIndex<StoredWorkflow>] { [.workflow, .state, .ended, .place] }

    package static var ownedEntities: [any StoredEntity.Type] { [StoredWorkflowRecord.self, StoredWorkflowQueue.self] }

    /// A step that the code has asked for, and that wasn't done.
    package struct Wait: Codable, Hashable, Sendable {
        package let step: Int
        package let kind: WorkflowRecord.Kind
        package let name: String
        package var input: String?

        /// The time at which a pause ends, an event has not come in time, or a failed step is repeated; `nil` if there is none.
        package var due: Date?

        /// Number of attempts that have failed.
        package var attempts = 0

        /// The error of the last attempt.
        package var failure: WorkflowStepError?

        package var title: String { WorkflowRecord.title(kind, name) }
    }

    /// An event that the code hasn't received yet.
    struct Event: Codable, Hashable, Sendable {
        let name: String
        let version: Int
        let json: String
    }

    /// The name of the workflow, a slash, and the stored text of the identifier.
    public let id: String

    /// The name of the workflow.
    package let workflow: String

    /// The stored text of the identifier.
    package let key: String

    /// The version of ``input``.
    var version: Int

    /// The input as JSON.
    package internal(set) var input: String

    /// The state.
    package internal(set) var state = WorkflowState.running

    /// The number of the round, counting from 1; `continueAsNew` starts the next round.
    package internal(set) var round = 1

    /// Number of records in the journal.
    package internal(set) var recordCount = 0

    /// The message that lets the instance go on; any other is obsolete.
    private(set) var turn: UUID?

    /// The time at which ``turn`` is due.
    private(set) var turnDue: Date?

    package internal(set) var waits: [Wait] = []

    /// The names of the changes of the code that the instance has.
    var changes: [String] = []

    /// The events that the code hasn't received yet, in order.
    var events: [Event] = []

    /// The limit of instances at a time, as the input has stated it at the start; `nil` for none.
    package let concurrency: WorkflowConcurrency?

    /// The place in the line of the concurrency key; `nil` unless the instance waits there.
    var place: String?

    /// The instances that wait for the end of this instance.
    var parents: [String] = []

    /// Whether the cancellation waits to be recorded.
    var mustCancel = false

    /// Whether the code has received a cancellation.
    var wasCancelled = false

    /// Why the instance is blocked.
    package internal(set) var mistake: String?

    /// Number of times in a row that the instance was blocked.
    var blockCount = 0

    /// The result as JSON.
    package internal(set) var output: String?

    package internal(set) var failure: WorkflowStepError?

    /// The seed of the random numbers, which a fork shares.
    let seed: UInt64

    /// The seed of the idempotency keys.
    let keySeed: UInt64

    package let startedAt: Date

    /// The start of the current round.
    package internal(set) var begunAt: Date

    package internal(set) var endedAt: Date?

    /// The events of the instance: none.
    public var raisedEvents = RaisedEvents()

    init(
        workflow: String, version: Int, key: String, input: Data, concurrency: WorkflowConcurrency?, startedAt: Date
    ) {
        id = Self.id(of: workflow, key: key)
        self.workflow = workflow
        self.version = version
        self.key = key
        self.input = String(decoding: input, as: UTF8.self)
        self.concurrency = concurrency
        seed = Self.newSeed()
        keySeed = Self.newSeed()
        self.startedAt = startedAt
        begunAt = startedAt
    }

    /// Creates an instance with the input, the changes, and the seed of `other`, and with an empty journal.
    init(forking other: StoredWorkflow, key: String) {
        id = Self.id(of: other.workflow, key: key)
        workflow = other.workflow
        version = other.version
        self.key = key
        input = other.input
        concurrency = other.concurrency
        seed = other.seed
        keySeed = Self.newSeed()
        round = other.round
        changes = other.changes
        startedAt = other.startedAt
        begunAt = other.begunAt
    }

    /// 63 random bits, because not every reader of JSON knows larger numbers.
    private static func newSeed() -> UInt64 {
        var generator = SystemValues.current.randomNumbers
        return generator.next() >> 1
    }

    package static func id(of workflow: String, key: String) -> String { "\(workflow)/\(key)" }
}

extension StoredWorkflow {
    /// Whether the instance waits for a time that hasn't come, or for nothing but events, so that no relay handles it.
    func isAsleep(at now: Date) -> Bool { turnDue.map { $0 > now } ?? true }

    /// Lets the instance go on at `date`, and cancels the message that waits, if there is one.
    ///
    /// - Parameters:
    ///   - date: The time; `nil` for never, so that only an event or an operator wakes it.
    ///   - now: The current time.
    ///   - context: The context of the unit of work.
    /// - Throws: The errors of `schedule(_:at:id:)` of the context.
    func arm(at date: Date?, since now: Date, in context: EntityContext) throws {
        if let turn { context.cancelScheduled(turn) }
        turnDue = date
        turn = try date.map { date in
            let id = UUID.version7()
            let message = ContinueWorkflow(instance: self.id, turn: id)
            return try context.schedule(
                message,
                named: ContinueWorkflow.name(of: workflow),
                at: date,
                since: now,
                id: id
            )
        }
    }

    /// Lets the instance go on at once, unless a relay will handle it or handles it already.
    ///
    /// The relay that handles it finds out that the instance has changed.
    func wake(at now: Date, in context: EntityContext) throws {
        if state != .queued, isAsleep(at: now) { try arm(at: now, since: now, in: context) }
    }

    /// The identifier of the queue of the concurrency key; `nil` if there is no limit.
    var queue: String? { concurrency.map { Self.id(of: workflow, key: $0.key) } }

    /// Lets the instance, which is new or was opened again, begin its first turn at once.
    ///
    /// If it has a concurrency key, it stands at the end of the line, and the turn looks for a place.
    func begin(at now: Date, in context: EntityContext) throws {
        if let queue {
            state = .queued
            place = StoredWorkflowQueue.newPlace(in: queue)
        }
        try arm(at: now, since: now, in: context)
    }

    /// Forgets the message that is being handled, so that it isn't cancelled.
    func endTurn() { (turn, turnDue) = (nil, nil) }

    /// Ends the instance; see `end(_:as:at:)` of the context.
    func end(as state: WorkflowState, at now: Date, in context: EntityContext) {
        if let turn { context.cancelScheduled(turn) }
        endTurn()
        self.state = state
        waits = []
        mustCancel = false
        (mistake, blockCount) = (nil, 0)
        endedAt = now
    }

    /// Notes what the code waits for.
    func resume(with waits: [Wait], changes: [String]) {
        self.waits = waits
        self.changes = changes
        state = .running
        (mistake, blockCount) = (nil, 0)
    }

    /// Notes why the code can't go on.
    func block(_ mistake: String) {
        state = .blocked
        self.mistake = mistake
        blockCount += 1
    }

    /// Lets failed steps be repeated without a pause.
    func forgetPauses() {
        for index in waits.indices where waits[index].attempts > 0 { waits[index].due = nil }
    }

    /// Opens an instance that has failed.
    func reopen() {
        resume(with: [], changes: changes)
        failure = nil
        endedAt = nil
    }

    /// Starts the next round; the events that the code hasn't received stay.
    func startRound(with input: Data, version: Int, at now: Date) {
        self.input = String(decoding: input, as: UTF8.self)
        self.version = version
        round += 1
        recordCount = 0
        endTurn()
        resume(with: [], changes: [])
        wasCancelled = false
        begunAt = now
    }

    /// Whether the instance has not ended.
    package var isOpen: Bool { endedAt == nil }

    /// Matches the instances that have not ended.
    package static var isOpen: EntityCondition<StoredWorkflow> {
        .isOneOf(.state, [WorkflowState.queued, .running, .blocked].map(\.rawValue))
    }
}

/// The state of an instance of a ``DurableWorkflow``.
public enum WorkflowState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It waits until fewer instances with its concurrency key run; see ``DurableWorkflow/concurrency``.
    case queued

    /// It runs, or waits for a time, an event, or the next attempt.
    case running

    /// Its code doesn't fit its journal, so it waits for a program with the right code.
    case blocked

    /// It has returned its result.
    case completed

    /// Its code has thrown an error.
    case failed

    /// It was cancelled, and its code has ended with a `CancellationError`.
    case cancelled

    /// An operator has ended it without running its code.
    case terminated
}

extension EntityIndex<StoredWorkflow> {
    /// The name of the workflow.
    static var workflow: Self { EntityIndex("workflow") { $0.workflow } }

    /// The state.
    static var state: Self { EntityIndex("state") { $0.state.rawValue } }

    /// The time at which an instance has ended.
    static var ended: Self { EntityIndex("ended") { $0.endedAt } }

    /// The place in the line of the concurrency key.
    static var place: Self { EntityIndex("place") { $0.place } }
}

/// One entry in the journal of an instance, as it is stored.
package final class StoredWorkflowRecord: StoredEntity {
    package static let entityName = "headrace.workflow-record"

    package static var indexes: [EntityIndex<StoredWorkflowRecord>] { [.instance] }

    /// The identifier of the instance, a slash, and the position.
    package let id: String

    /// The identifier of the instance.
    let instance: String

    /// The position in the journal, counting from 1.
    let position: Int

    package let record: WorkflowRecord

    package var raisedEvents = RaisedEvents()

    init(_ record: WorkflowRecord, of instance: String, position: Int) {
        id = "\(instance)/\(position)"
        self.instance = instance
        self.position = position
        self.record = record
    }
}

extension EntityIndex<StoredWorkflowRecord> {
    /// The identifier of the instance.
    static var instance: Self { EntityIndex("instance") { $0.instance } }
}

extension EntityContext {
    /// Returns the journal of an instance, in order.
    package nonisolated(nonsending) func journal(of instance: String) async throws -> [StoredWorkflowRecord] {
        try await fetch(StoredWorkflowRecord.self, where: [.equals(.instance, instance)])
            .sorted { $0.position < $1.position }
    }
}

/// The message that lets an instance go on.
///
/// It is stored under a name for each workflow, so a relay leaves the workflows that it doesn't know to other relays.
struct ContinueWorkflow: DurableCommand {
    static let commandName = "headrace.workflow"

    let instance: String

    /// The identifier of the message.
    let turn: UUID

    static func name(of workflow: String) -> String { "\(commandName)/\(workflow)" }
}
