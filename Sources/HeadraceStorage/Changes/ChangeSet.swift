//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What one unit of work changes: a store applies all of it, in one transaction, or none.
///
/// No entity occurs in it twice: one that is deleted and inserted again is written.
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

        /// The version that must be stored now; 0 where nothing may be.
        public var expectedVersion: Int { document.version - 1 }

        /// The entries to take out of the indexes, which are there.
        public let removedEntries: Set<IndexEntry>

        /// The entries to put into the indexes, which are not there yet.
        public let addedEntries: Set<IndexEntry>

        /// Creates a write.
        public init(document: StoredDocument, removedEntries: Set<IndexEntry> = [], addedEntries: Set<IndexEntry> = [])
        {
            self.document = document
            self.removedEntries = removedEntries
            self.addedEntries = addedEntries
        }
    }

    /// The end of one entity.
    public struct Deletion: Sendable {
        /// Which entity is deleted.
        public let reference: EntityReference

        /// The version that must be stored now.
        public let expectedVersion: Int

        /// The entries to take out of the indexes, which are there.
        public let removedEntries: Set<IndexEntry>

        /// Creates a deletion.
        public init(reference: EntityReference, expectedVersion: Int, removedEntries: Set<IndexEntry> = []) {
            self.reference = reference
            self.expectedVersion = expectedVersion
            self.removedEntries = removedEntries
        }
    }

    /// A durable event that is to be delivered to a subscription.
    public struct NewDelivery: Hashable, Sendable {
        /// The place of the event in ``ChangeSet/events``, counting from 0.
        public let event: Int

        /// The name of the subscription.
        public let subscription: String

        /// Creates a delivery.
        public init(event: Int, subscription: String) {
            self.event = event
            self.subscription = subscription
        }
    }

    /// The entities to write, in the order in which they were touched.
    public var writes: [Write] = []

    /// The entities to delete.
    public var deletions: [Deletion] = []

    /// Documents that must be stored as they are here when the changes are; one that is not refuses the change set with
    /// ``StoreError/Code/versionConflict``.
    ///
    /// A version says how often an entity was written, and not by whom: one that was deleted and inserted again has the same
    /// ones once more, and what was read before it was stored may never have been. So `EntityContext` requires each entity
    /// that it has read and changes.
    public var requirements: [StoredDocument] = []

    /// The events to append to the log, in order.
    public var events: [NewEvent] = []

    /// To which subscriptions the events go.
    ///
    /// Each pair occurs once. Only a ``DeliveryStore`` is given any.
    public var deliveries: [NewDelivery] = []

    /// What came of deliveries that were handled by this very change.
    ///
    /// Unlike with ``DeliveryStore/settle(_:)``, a lease that is no longer valid refuses the whole change set, with
    /// ``StoreError/Code/leaseLost``: what is stored was handled once.
    public var settlements: [Settlement] = []

    /// The commands with idempotency keys that this change set is the effect of; it is refused with
    /// ``StoreError/Code/keyTaken`` where a key is stored already.
    ///
    /// A store checks them first, before versions, existence, and unique values: what the command has changed before is
    /// the reason for those conflicts.
    public var idempotencyRecords: [IdempotencyRecord] = []

    /// The messages to deliver at a later time.
    public var scheduled: [ScheduledMessage] = []

    /// The identifiers of scheduled messages that are not to take effect; those that have, and unknown ones, are
    /// passed over.
    public var cancellations: [UUID] = []

    /// What the store does in its own terms, in order, after the writes.
    public var work: [any StoreWork] = []

    /// How certain it must be that the changes last, once they are committed.
    public var durability = Durability.durable

    /// Creates a change set, durable.
    public init(writes: [Write] = [], deletions: [Deletion] = [], events: [NewEvent] = []) {
        self.writes = writes
        self.deletions = deletions
        self.events = events
    }

    /// Whether a relay has something to do once it is stored.
    public var makesDeliveries: Bool {
        !deliveries.isEmpty || !scheduled.isEmpty
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool {
        writes.isEmpty && deletions.isEmpty && events.isEmpty && settlements.isEmpty && idempotencyRecords.isEmpty
            && scheduled.isEmpty && cancellations.isEmpty && work.isEmpty
    }
}
