// SPDX-License-Identifier: Apache-2.0

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
        commitFeed.recordCommit(of: changes)
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
