// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// A store that keeps everything in memory, for tests and previews.
///
/// It fulfils the same contract as a durable store, but its content doesn't survive a restart.
public final class InMemoryStore: ObservableStore {
    /// The types of entity that the store was opened with.
    public let schema: EntitySchema

    /// Notifies relays when a commit has created deliveries.
    public let deliverySignal = DeliverySignal()

    /// Records the commits of this store.
    public let commitFeed = CommitFeed()

    let state = Mutex(InMemoryState())

    /// Creates an empty store for the entities of `schema`.
    public init(schema: EntitySchema) {
        self.schema = schema
    }

    /// Returns the document of an entity, or `nil` if there is none.
    @inline(__always)
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return state.withLock { $0.document(of: reference) }
    }

    /// Returns the documents of several entities, as one consistent read.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        return state.withLock { state in references.compactMap { state.document(of: $0) } }
    }

    /// Returns the documents that match `query`, as one consistent read.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return state.withLock { $0.fetch(query) }
    }

    /// Applies all of `changes`, or throws and changes nothing; the requested durability makes no difference.
    ///
    /// - Throws: ``StoreError`` with the code `versionConflict`, `alreadyExists`, `uniqueViolation`,
    ///   `undeclaredEntity`, `leaseLost`, or `keyTaken`; `unsupportedWork` for any work, as this store supports none.
    @inline(__always)
    public func commit(_ changes: ChangeSet) async throws {
        if let work = changes.work.first { throw StoreError.unsupportedWork(work, by: Self.self) }
        try state.withLock { state in
            try state.check(changes, schema: schema)
            state.apply(changes)
        }
        commitFeed.recordCommit(of: changes.subjects)
        if changes.makesDeliveries { deliverySignal.notify() }
    }

    /// Returns at most `limit` events of the log after a position, in commit order.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return state.withLock { state in
            state.events(after: position, limit: limit)
        }
    }

    /// Returns a snapshot of the store, which later commits don't change.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        return InMemorySnapshot(state.withLock { $0 }, schema: schema)
    }

    /// Does nothing: the store has no files and no connections, and keeps its content.
    public func close() throws {}
}

extension InMemoryStore: DeliveryStore {
    /// Leases due lanes.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try request.requireUsableClock()
        return state.withLock { state in
            let events = state.events
            return state.deliveries.lease(request) { events.record(at: $0) }
        }
    }

    /// Applies each of `settlements` wholly or not at all; returns the leases that are no longer valid.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        let refused = state.withLock { state in
            settlements.filter { !state.deliveries.settle($0) }.map(\.lease)
        }
        if settlements.contains(where: \.leavesUnknown) { deliverySignal.notify() }
        return refused
    }

    /// Extends `leases` until `date`; returns the leases that are no longer valid.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        state.withLock { state in
            leases.filter { !state.deliveries.renew($0, until: date) }
        }
    }

    /// Returns the record of an idempotency key, or `nil`.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        state.withLock { $0.deliveries.records[BytewiseString(key)] }
    }

    /// Returns a page of the deliveries that aren't completed.
    public func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery] {
        state.withLock { state in
            state.deliveries.pending(request) { state.events.record(at: $0) }
        }
    }

    /// Makes deliveries due that wait for their next attempt; returns their number.
    public func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int {
        let count = state.withLock { state in
            ids.count { state.deliveries.retry($0, now: now.milliseconds) }
        }
        deliverySignal.notify()
        return count
    }

    /// Moves deliveries that aren't running to the dead letters; returns their number.
    public func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int {
        let count = state.withLock { state in
            ids.count { state.deliveries.cancel($0, reason: reason, now: now) }
        }
        deliverySignal.notify()
        return count
    }

    /// Returns at most `limit` dead letters with identifiers greater than `id`, in ascending order.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        state.withLock { state in
            let wanted = subscription.map(BytewiseString.init)
            let ids = state.deliveries.letters.filter { letter in
                letter.key > id && wanted.map { $0 == letter.value.subscription } ?? true
            }.keys.sorted().prefix(max(0, limit))
            return ids.compactMap { id in
                state.deliveries.deadLetter(id) { state.events.record(at: $0) }
            }
        }
    }

    /// Returns the dead letter `id`, or `nil` if it doesn't exist any longer.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        state.withLock { state in
            state.deliveries.deadLetter(id) { state.events.record(at: $0) }
        }
    }

    /// Delivers dead letters again, each in its own lane; returns the number of dead letters.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int {
        let count = state.withLock { $0.deliveries.replayDeadLetters(ids) }
        deliverySignal.notify()
        return count
    }

    /// Corrects a dead letter and delivers it again; returns whether it still existed.
    public func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        let isReplayed = state.withLock { $0.deliveries.replayDeadLetter(id, correctedTo: json) }
        deliverySignal.notify()
        return isReplayed
    }

    /// Discards dead letters; returns the number of dead letters.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int {
        state.withLock { $0.deliveries.discardDeadLetters(ids) }
    }

    /// Delivers events of the log to a subscription again; returns the number of events.
    public func replay(
        _ subscription: String,
        eventsNamed names: Set<String>,
        after position: Int64
    ) async throws -> Int {
        let names = Set(names.map(BytewiseString.init))
        let count = state.withLock { state in
            let events = state.events.filter { $0.position > position && names.contains(BytewiseString($0.event.name)) }
            return state.deliveries.replay(BytewiseString(subscription), events)
        }
        deliverySignal.notify()
        return count
    }

    /// Pauses a subscription until it is resumed; returns whether it exists.
    public func pause(_ subscription: String, at date: Date) async throws -> Bool {
        let exists = state.withLock { $0.deliveries.setPause(of: BytewiseString(subscription), since: date) }
        deliverySignal.notify()
        return exists
    }

    /// Ends the pause of a subscription; returns whether the subscription exists.
    public func resume(_ subscription: String) async throws -> Bool {
        let exists = state.withLock { $0.deliveries.setPause(of: BytewiseString(subscription), since: nil) }
        deliverySignal.notify()
        return exists
    }

    /// Removes the rows that `request` selects, the oldest first; returns the number of rows.
    public func prune(_ request: PruneRequest) async throws -> Int {
        state.withLock { state in
            var count = 0
            if let date = request.idempotencyRecordsBefore {
                count += state.deliveries.removeRecords(before: date, limit: request.limit)
            }
            if let date = request.eventsBefore {
                count += state.removeEvents(before: date, limit: request.limit - count)
            }
            return count
        }
    }

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    public func prunedPosition() async throws -> Int64 {
        state.withLock(\.prunedPosition)
    }

    /// Returns the progress of the subscriptions.
    public func deliveryStatistics() async throws -> DeliveryStatistics {
        state.withLock { state in
            let lanes = Dictionary(grouping: state.deliveries.lanes.values, by: \.subscription)
            let letters = Dictionary(grouping: state.deliveries.letters.values, by: \.subscription)
            return DeliveryStatistics(
                subscriptions: state.deliveries.subscriptions.sorted().map { name in
                    let positions = (lanes[name] ?? []).flatMap(\.entries).map(\.position)
                    let oldest = positions.filter { $0 > 0 }.min().flatMap { state.events.record(at: $0) }
                    return DeliveryStatistics.Subscription(
                        name: name.text,
                        pendingCount: positions.count,
                        oldestPending: oldest?.event.recordedAt,
                        deadLetterCount: letters[name]?.count ?? 0,
                        pausedSince: state.deliveries.pauses[name].map(Date.init(milliseconds:))
                    )
                },
                lastPosition: state.lastPosition
            )
        }
    }
}

extension [EventRecord] {
    /// The index of the first event after `position`.
    ///
    /// - Complexity: O(log *n*).
    func index(after position: Int64) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if self[middle].position <= position { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    /// The event at `position`, or `nil` if there is none.
    func record(at position: Int64) -> EventRecord? {
        let index = index(after: position)
        return index > 0 && self[index - 1].position == position ? self[index - 1] : nil
    }
}
