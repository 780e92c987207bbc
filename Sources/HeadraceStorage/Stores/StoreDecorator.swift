// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
import Synchronization

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

extension EntityStore {
    /// The store whose commits can be observed: this store, or the store that it decorates; `nil` if there is none.
    package var observable: (any ObservableStore)? {
        (self as? any ObservableStore) ?? (self as? any StoreDecorator)?.base.observable
    }
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

/// A store from which serialized commands read changes while these are still being written.
///
/// ```swift
/// builder.domain(store: ReadAheadStore(store))
/// builder.commandQueryDispatch().standard(
///     commandHandlers: [TransferHandler.self],
///     middleware: [RetryMiddleware(), SerializingMiddleware()],
///     resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
/// )
/// ```
///
/// Commits that wait for the disk at the same time share one write (group commit). Commands that change the same entity
/// couldn't share it if each had to wait until the previous one is stored. On this store, a
/// ``HeadraceCore/SerializedCommand`` releases its keys when its commit has started. Its successor reads the pending changes,
/// and its own commit requires that they are stored. If they are not, the successor fails with the code
/// `StoreError.Code.versionConflict`, and a ``HeadraceCore/RetryMiddleware`` repeats it. No command returns before its own
/// changes, and all changes that it has read, are stored.
///
/// Queries, deliveries, and other commands read stored documents only. So do fetches by an index. Pending deletions are not
/// visible; a command that reads such an entity fails with a conflict if it changes the entity.
public final class ReadAheadStore: StoreDecorator {
    private struct PendingWrite {
        let document: StoredDocument
        let isStored: OneShot<Bool>
    }

    /// Starts commits in the order in which their commands held the keys.
    private actor CommitOrder {
        /// Calls `start` and commits.
        ///
        /// Both run on this actor without suspension until the base store waits for the disk. So a command that
        /// receives the keys by `start`, and commits here next, reaches the base store later.
        func commit(_ changes: ChangeSet, to base: any DeliveryStore, start: @Sendable () -> Void) async throws {
            start()
            try await base.commit(changes)
        }
    }

    /// The store that holds the data.
    public let base: any DeliveryStore

    private let unserialized: any DeliveryStore
    private let order = CommitOrder()
    private let pending = Mutex<[EntityReference: PendingWrite]>([:])

    /// Creates a store that reads from `base` and commits to it.
    ///
    /// - Parameters:
    ///   - base: The store that holds the data.
    ///   - unserialized: A decorator of `base` for commits outside serialized commands; `base` if it is `nil`.
    public init(_ base: any DeliveryStore, unserialized: (any DeliveryStore)? = nil) {
        self.base = base
        self.unserialized = unserialized ?? base
    }

    /// Returns the document, including pending changes if a serialized command asks.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        if let locks = SerializingMiddleware.heldLocks, let write = pending.withLock({ $0[reference] }) {
            locks.add(dependency(on: write))
            return write.document
        }
        return try await base.find(reference)
    }

    /// Returns the documents, including pending changes if a serialized command asks.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        guard let locks = SerializingMiddleware.heldLocks else { return try await base.find(all: references) }
        let writes = pending.withLock { pending in references.compactMap { pending[$0] } }
        var documents: [EntityReference: StoredDocument] = [:]
        for write in writes {
            locks.add(dependency(on: write))
            documents[write.document.reference] = write.document
        }
        for document in try await base.find(all: references.filter { documents[$0] == nil }) {
            documents[document.reference] = document
        }
        return references.compactMap { documents[$0] }
    }

    /// Returns the number of stored documents that match `query`.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try await base.count(query)
    }

    /// Commits `changes`, and releases the keys of the command when the commit has started.
    public func commit(_ changes: ChangeSet) async throws {
        guard let locks = SerializingMiddleware.heldLocks else { return try await unserialized.commit(changes) }
        let requirements = locks.values(in: self).compactMap { $0 as? StoredDocument }
        var changes = changes
        // The context requires the documents that it changes. Add those that the command has only read.
        let required = Set(changes.requirements.map(\.reference))
        changes.requirements += requirements.filter { !required.contains($0.reference) }
        let references = changes.writes.map(\.document.reference)
        let isStored = OneShot<Bool>()
        do {
            try await order.commit(changes, to: base) { [changes] in
                pending.withLock { pending in
                    for write in changes.writes {
                        pending[write.document.reference] = PendingWrite(document: write.document, isStored: isStored)
                    }
                }
                locks.keys.release()
            }
        } catch {
            removePending(references, of: isStored)
            isStored.set(false)
            throw error
        }
        locks.removeFirst(requirements.count, in: self)
        removePending(references, of: isStored)
        isStored.set(true)
    }

    private func dependency(on write: PendingWrite) -> HeldLocks.Dependency {
        HeldLocks.Dependency(on: write.document, in: self, isCertain: write.isStored, failure: Self.staleRead)
    }

    private static let staleRead = StoreError(
        code: .versionConflict,
        message: "The command has read changes that could not be stored. Nothing was stored. To fix, send it again."
    )

    /// Removes the pending writes of one commit, unless a later commit has replaced them.
    private func removePending(_ references: [EntityReference], of isStored: OneShot<Bool>) {
        pending.withLock { pending in
            for reference in references where pending[reference]?.isStored === isStored { pending[reference] = nil }
        }
    }
}
