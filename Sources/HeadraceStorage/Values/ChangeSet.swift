// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The changes of one unit of work, which a store applies in one transaction: all of them or none.
///
/// Each entity occurs at most once. An entity that is deleted and inserted again is a write.
public struct ChangeSet: Sendable {
    /// One value of one entity in one index.
    public struct IndexEntry: Hashable, Sendable {
        /// The name of the index.
        public let index: String

        /// The value.
        public let value: IndexValue

        /// Creates an entry.
        public init(index: String, value: IndexValue) {
            self.index = index
            self.value = value
        }
    }

    /// The new state of one entity.
    public struct Write: Sendable {
        /// The document to store; its version is one more than ``expectedVersion``.
        public let document: StoredDocument

        /// The version that must be stored now, or 0 if the entity must not exist.
        public var expectedVersion: Int { document.version - 1 }

        /// The entries to remove from the indexes, which must be there.
        public let removedEntries: Set<IndexEntry>

        /// The entries to add to the indexes, which must not be there yet.
        public let addedEntries: Set<IndexEntry>

        /// Creates a write.
        public init(document: StoredDocument, removedEntries: Set<IndexEntry> = [], addedEntries: Set<IndexEntry> = [])
        {
            self.document = document
            self.removedEntries = removedEntries
            self.addedEntries = addedEntries
        }
    }

    /// The deletion of one entity.
    public struct Deletion: Sendable {
        /// The entity to delete.
        public let reference: EntityReference

        /// The version that must be stored now.
        public let expectedVersion: Int

        /// The entries to remove from the indexes, which must be there.
        public let removedEntries: Set<IndexEntry>

        /// Creates a deletion.
        public init(reference: EntityReference, expectedVersion: Int, removedEntries: Set<IndexEntry> = []) {
            self.reference = reference
            self.expectedVersion = expectedVersion
            self.removedEntries = removedEntries
        }
    }

    /// The delivery of a durable event to a subscription.
    public struct NewDelivery: Hashable, Sendable {
        /// The index of the event in ``ChangeSet/events``, counting from 0.
        public let event: Int

        /// The name of the subscription.
        public let subscription: String

        /// Creates a delivery.
        public init(event: Int, subscription: String) {
            self.event = event
            self.subscription = subscription
        }
    }

    /// What a relay needs, which most change sets don't have.
    ///
    /// Together they can be copied and released at once if there is nothing.
    private struct Messages: Sendable {
        var deliveries: [NewDelivery] = []
        var settlements: [Settlement] = []
        var idempotencyRecords: [IdempotencyRecord] = []
        var scheduled: [ScheduledMessage] = []
        var cancellations: [UUID] = []
    }

    private var messages: Messages?

    /// The entities to write, in the order in which the unit of work first used them.
    public var writes: [Write] = []

    /// The entities to delete.
    public var deletions: [Deletion] = []

    /// Documents that must still be stored unchanged at the commit (optimistic locking).
    ///
    /// If a document differs, the store refuses the change set with `StoreError.Code.versionConflict`.
    ///
    /// A version number alone is not enough: an entity that was deleted and inserted again starts from version 1, so
    /// the same version can stand for other content. `EntityContext` therefore requires the document of each entity
    /// that it has read and changes.
    public var requirements: [StoredDocument] = []

    /// The events to append to the log, in order.
    public var events: [NewEvent] = []

    /// The subscriptions that receive the events.
    ///
    /// Each pair of event and subscription occurs once. Only a ``DeliveryStore`` receives deliveries.
    public var deliveries: [NewDelivery] {
        get { messages?.deliveries ?? [] }
        _modify {
            var content = messages ?? Messages()
            messages = nil
            defer { messages = content }
            yield &content.deliveries
        }
    }

    /// Settlements of the deliveries that this change set handles.
    ///
    /// If a lease is no longer valid, or its lane has a delivery before ``Settlement/firstPosition``, the store refuses the
    /// whole change set with `StoreError.Code.leaseLost`, so a delivery takes effect exactly once and in order. ``DeliveryStore/settle(_:)`` refuses only the settlement concerned.
    public var settlements: [Settlement] {
        get { messages?.settlements ?? [] }
        _modify {
            var content = messages ?? Messages()
            messages = nil
            defer { messages = content }
            yield &content.settlements
        }
    }

    /// The commands with idempotency keys whose effect this change set is.
    ///
    /// If a key is stored already, the store refuses the change set with `StoreError.Code.keyTaken`. A store checks
    /// the keys first, before versions, existence, and unique values, because an earlier effect of the same command is
    /// the cause of those conflicts.
    public var idempotencyRecords: [IdempotencyRecord] {
        get { messages?.idempotencyRecords ?? [] }
        _modify {
            var content = messages ?? Messages()
            messages = nil
            defer { messages = content }
            yield &content.idempotencyRecords
        }
    }

    /// The messages to deliver at a later time.
    public var scheduled: [ScheduledMessage] {
        get { messages?.scheduled ?? [] }
        _modify {
            var content = messages ?? Messages()
            messages = nil
            defer { messages = content }
            yield &content.scheduled
        }
    }

    /// The identifiers of scheduled messages to cancel; unknown identifiers and messages that have taken effect are
    /// skipped.
    public var cancellations: [UUID] {
        get { messages?.cancellations ?? [] }
        _modify {
            var content = messages ?? Messages()
            messages = nil
            defer { messages = content }
            yield &content.cancellations
        }
    }

    /// Work that the store executes after the writes, in order.
    public var work: [any StoreWork] = []

    /// How durable the changes must be when the commit returns.
    public var durability = Durability.durable

    /// Creates a durable change set.
    public init(writes: [Write] = [], deletions: [Deletion] = [], events: [NewEvent] = []) {
        self.writes = writes
        self.deletions = deletions
        self.events = events
    }

    /// Whether the commit creates deliveries for a relay.
    public var makesDeliveries: Bool {
        guard let messages else { return false }
        return !messages.deliveries.isEmpty || !messages.scheduled.isEmpty
    }

    /// Whether the change set is empty.
    public var isEmpty: Bool {
        writes.isEmpty && deletions.isEmpty && events.isEmpty && work.isEmpty && !hasMessages
    }

    /// Whether there is something that a relay needs.
    var hasMessages: Bool {
        guard let messages else { return false }
        return !messages.deliveries.isEmpty || !messages.settlements.isEmpty || !messages.idempotencyRecords.isEmpty
            || !messages.scheduled.isEmpty || !messages.cancellations.isEmpty
    }
}

/// Work that a store executes within the transaction of a commit, for example an SQL statement.
///
/// Each store documents the types of work that it supports. It refuses other work with
/// `StoreError.Code.unsupportedWork`.
public protocol StoreWork: Sendable {}

/// Whether a commit that has returned survives a power failure.
///
/// At each level, a commit is atomic and survives the sudden end of the process, because the operating system holds the
/// data.
public struct Durability: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case durable, relaxed }

    private let kind: Kind

    /// The changes are on the disk when the commit returns; the default.
    public static let durable = Durability(kind: .durable)

    /// The changes reach the disk with the next durable commit at the latest.
    ///
    /// Until then, a power failure may lose them. Use this for data that can be computed or fetched again: caches,
    /// progress, statistics.
    public static let relaxed = Durability(kind: .relaxed)

    /// The name of the level: bounded, fit for a metric label.
    public var description: String { kind.rawValue }
}
