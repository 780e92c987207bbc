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
    package struct Wait: DocumentCodable, Hashable, Sendable {
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
    struct Event: DocumentCodable, Hashable, Sendable {
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
        self.startedAt = startedAt.inMilliseconds
        begunAt = self.startedAt
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

    /// Reads an instance without the containers of `Codable`.
    ///
    /// - Throws: An error if the document has another form.
    public init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        begunAt = try decoder.decode(Date.self, forKey: "begunAt")
        blockCount = try decoder.decode(Int.self, forKey: "blockCount")
        changes = try decoder.decode([String].self, forKey: "changes")
        concurrency = try decoder.decode(WorkflowConcurrency?.self, forKey: "concurrency")
        endedAt = try decoder.decode(Date?.self, forKey: "endedAt")
        events = try decoder.decode([Event].self, forKey: "events")
        failure = try decoder.decode(WorkflowStepError?.self, forKey: "failure")
        id = try decoder.decode(String.self, forKey: "id")
        input = try decoder.decode(String.self, forKey: "input")
        key = try decoder.decode(String.self, forKey: "key")
        keySeed = try decoder.decode(UInt64.self, forKey: "keySeed")
        mistake = try decoder.decode(String?.self, forKey: "mistake")
        mustCancel = try decoder.decode(Bool.self, forKey: "mustCancel")
        output = try decoder.decode(String?.self, forKey: "output")
        parents = try decoder.decode([String].self, forKey: "parents")
        place = try decoder.decode(String?.self, forKey: "place")
        recordCount = try decoder.decode(Int.self, forKey: "recordCount")
        round = try decoder.decode(Int.self, forKey: "round")
        seed = try decoder.decode(UInt64.self, forKey: "seed")
        startedAt = try decoder.decode(Date.self, forKey: "startedAt")
        state = try decoder.decode(WorkflowState.self, forKey: "state")
        turn = try decoder.decode(UUID?.self, forKey: "turn")
        turnDue = try decoder.decode(Date?.self, forKey: "turnDue")
        version = try decoder.decode(Int.self, forKey: "version")
        waits = try decoder.decode([Wait].self, forKey: "waits")
        wasCancelled = try decoder.decode(Bool.self, forKey: "wasCancelled")
        workflow = try decoder.decode(String.self, forKey: "workflow")
        try decoder.endObject()
    }

    /// Writes the same document as `Codable`.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(begunAt, forKey: "begunAt")
        try encoder.encode(blockCount, forKey: "blockCount")
        try encoder.encode(changes, forKey: "changes")
        try encoder.encode(concurrency, forKey: "concurrency")
        try encoder.encode(endedAt, forKey: "endedAt")
        try encoder.encode(events, forKey: "events")
        try encoder.encode(failure, forKey: "failure")
        try encoder.encode(id, forKey: "id")
        try encoder.encode(input, forKey: "input")
        try encoder.encode(key, forKey: "key")
        try encoder.encode(keySeed, forKey: "keySeed")
        try encoder.encode(mistake, forKey: "mistake")
        try encoder.encode(mustCancel, forKey: "mustCancel")
        try encoder.encode(output, forKey: "output")
        try encoder.encode(parents, forKey: "parents")
        try encoder.encode(place, forKey: "place")
        try encoder.encode(recordCount, forKey: "recordCount")
        try encoder.encode(round, forKey: "round")
        try encoder.encode(seed, forKey: "seed")
        try encoder.encode(startedAt, forKey: "startedAt")
        try encoder.encode(state, forKey: "state")
        try encoder.encode(turn, forKey: "turn")
        try encoder.encode(turnDue, forKey: "turnDue")
        try encoder.encode(version, forKey: "version")
        try encoder.encode(waits, forKey: "waits")
        try encoder.encode(wasCancelled, forKey: "wasCancelled")
        try encoder.encode(workflow, forKey: "workflow")
        encoder.endObject()
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
        begunAt = now.inMilliseconds
    }

    /// Whether the instance has not ended.
    package var isOpen: Bool { endedAt == nil }

    /// Matches the instances that have not ended.
    package static var isOpen: EntityCondition<StoredWorkflow> {
        .isOneOf(.state, [WorkflowState.queued, .running, .blocked].map(\.rawValue))
    }
}

extension StoredWorkflow.Wait {
    package init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        attempts = try decoder.decode(Int.self, forKey: "attempts")
        due = try decoder.decode(Date?.self, forKey: "due")
        failure = try decoder.decode(WorkflowStepError?.self, forKey: "failure")
        input = try decoder.decode(String?.self, forKey: "input")
        kind = try decoder.decode(WorkflowRecord.Kind.self, forKey: "kind")
        name = try decoder.decode(String.self, forKey: "name")
        step = try decoder.decode(Int.self, forKey: "step")
        try decoder.endObject()
    }

    package func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(attempts, forKey: "attempts")
        try encoder.encode(due, forKey: "due")
        try encoder.encode(failure, forKey: "failure")
        try encoder.encode(input, forKey: "input")
        try encoder.encode(kind, forKey: "kind")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(step, forKey: "step")
        encoder.endObject()
    }
}

extension StoredWorkflow.Event {
    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        json = try decoder.decode(String.self, forKey: "json")
        name = try decoder.decode(String.self, forKey: "name")
        version = try decoder.decode(Int.self, forKey: "version")
        try decoder.endObject()
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(json, forKey: "json")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(version, forKey: "version")
        encoder.endObject()
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
