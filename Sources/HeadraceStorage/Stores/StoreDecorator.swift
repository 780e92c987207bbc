// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store that wraps another store, changes some operations, and forwards the others.
///
/// ```swift
/// final class ClosedBooks: StoreDecorator {
///     let base: any DeliveryStore
///
///     init(_ base: any DeliveryStore) {
///         self.base = base
///     }
///
///     func commit(_ changes: ChangeSet) async throws {
///         throw StoreError(code: .readOnly, message: "The books are closed. To fix, open the books of next year.")
///     }
/// }
/// ```
///
/// All requirements except ``base`` have a default that calls `base`. The default of ``EntityReader/find(all:)`` calls
/// ``EntityReader/find(_:)`` for each reference, and the default of ``EntityReader/count(_:)`` calls ``EntityReader/fetch(_:)``. A unit of work on the decorator doesn't join a unit of work on its
/// base, because they are different stores.
public protocol StoreDecorator: DeliveryStore {
    /// The wrapped store.
    var base: any DeliveryStore { get }
}

extension DeliveryStore {
    /// The store below all decorators.
    package var undecorated: any DeliveryStore { (self as? any StoreDecorator)?.base.undecorated ?? self }
}

extension StoreDecorator {
    // MARK: As EntityStore

    /// The schema of the wrapped store.
    public var schema: EntitySchema { base.schema }

    /// Passes on; see ``EntityReader/find(_:)``.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await base.find(reference)
    }

    /// Passes on; see ``EntityReader/fetch(_:)``.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await base.fetch(query)
    }

    /// Passes on; see ``EntityReader/events(after:limit:)``.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }

    /// Passes on; see ``EntityStore/commit(_:)``.
    public func commit(_ changes: ChangeSet) async throws {
        try await base.commit(changes)
    }

    /// Passes on; see ``EntityStore/snapshot()``.
    public func snapshot() async throws -> any EntityReader {
        try await base.snapshot()
    }

    /// Passes on; see ``EntityStore/close()``.
    public func close() throws {
        try base.close()
    }

    // MARK: As DeliveryStore

    /// The signal of the wrapped store.
    public var deliverySignal: DeliverySignal { base.deliverySignal }

    /// The clock of the wrapped store.
    public var wallClock: (@Sendable () -> Date)? { base.wallClock }

    /// Passes on; see ``DeliveryStore/lease(_:)``.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try await base.lease(request)
    }

    /// Passes on; see ``DeliveryStore/settle(_:)``.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try await base.settle(settlements)
    }

    /// Passes on; see ``DeliveryStore/renew(_:until:)``.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await base.renew(leases, until: date)
    }

    /// Passes on; see ``DeliveryStore/idempotencyRecord(for:)``.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await base.idempotencyRecord(for: key)
    }

    /// Passes on; see ``DeliveryStore/pendingDeliveries(_:)``.
    public func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery] {
        try await base.pendingDeliveries(request)
    }

    /// Passes on; see ``DeliveryStore/retryDeliveries(_:now:)``.
    public func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int {
        try await base.retryDeliveries(ids, now: now)
    }

    /// Passes on; see ``DeliveryStore/cancelDeliveries(_:reason:now:)``.
    public func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int {
        try await base.cancelDeliveries(ids, reason: reason, now: now)
    }

    /// Passes on; see ``DeliveryStore/deadLetters(after:of:limit:)``.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await base.deadLetters(after: id, of: subscription, limit: limit)
    }

    /// Passes on; see ``DeliveryStore/deadLetter(_:)``.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        try await base.deadLetter(id)
    }

    /// Passes on; see ``DeliveryStore/replayDeadLetters(_:)``.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int {
        try await base.replayDeadLetters(ids)
    }

    /// Passes on; see ``DeliveryStore/replayDeadLetter(_:correctedTo:)``.
    public func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        try await base.replayDeadLetter(id, correctedTo: json)
    }

    /// Passes on; see ``DeliveryStore/discardDeadLetters(_:)``.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int {
        try await base.discardDeadLetters(ids)
    }

    /// Passes on; see ``DeliveryStore/replay(_:eventsNamed:after:)``.
    public func replay(
        _ subscription: String,
        eventsNamed names: Set<String>,
        after position: Int64
    ) async throws -> Int {
        try await base.replay(subscription, eventsNamed: names, after: position)
    }

    /// Passes on; see ``DeliveryStore/pause(_:at:)``.
    public func pause(_ subscription: String, at date: Date) async throws -> Bool {
        try await base.pause(subscription, at: date)
    }

    /// Passes on; see ``DeliveryStore/resume(_:)``.
    public func resume(_ subscription: String) async throws -> Bool {
        try await base.resume(subscription)
    }

    /// Passes on; see ``DeliveryStore/prune(_:)``.
    public func prune(_ request: PruneRequest) async throws -> Int {
        try await base.prune(request)
    }

    /// Passes on; see ``DeliveryStore/prunedPosition()``.
    public func prunedPosition() async throws -> Int64 {
        try await base.prunedPosition()
    }

    /// Passes on; see ``DeliveryStore/deliveryStatistics()``.
    public func deliveryStatistics() async throws -> DeliveryStatistics {
        try await base.deliveryStatistics()
    }
}
