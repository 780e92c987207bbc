//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A store that keeps everything in memory, for tests and previews; it keeps what the others keep, except
/// across a restart.
public final class InMemoryStore: ObservableStore {
    /// The types of entity that the store was opened with.
    public let schema: EntitySchema

    /// Is given whenever a commit has made something to deliver.
    public let deliverySignal = DeliverySignal()

    /// Records the commits of this store.
    public let commitFeed = CommitFeed()

    let state = Mutex(InMemoryState())

    /// Creates an empty store for the entities of `schema`.
    public init(schema: EntitySchema) {
        self.schema = schema
    }

    /// Gives the document of an entity, or `nil` where there is none.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return state.withLock { $0.document(of: reference) }
    }

    /// Gives the documents of several entities, of one moment.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        return state.withLock { state in references.compactMap { state.document(of: $0) } }
    }

    /// Gives the documents that `query` asks for, of one moment.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        return state.withLock { $0.fetch(query) }
    }

    /// Applies `changes` whole, or throws and changes nothing; how durable they are to be makes no difference.
    ///
    /// - Throws: ``StoreError`` with the code `versionConflict`, `alreadyExists`, `uniqueViolation`, `undeclaredEntity`,
    ///   `leaseLost` or `keyTaken`; `unsupportedWork`, as it knows none.
    public func commit(_ changes: ChangeSet) async throws {
        if let work = changes.work.first { throw StoreError.unsupportedWork(work, by: Self.self) }
        try state.withLock { state in
            try state.check(changes, schema: schema)
            state.apply(changes)
        }
        commitFeed.recordCommit(of: changes.subjects)
        if changes.makesDeliveries { deliverySignal.notify() }
    }

    /// Gives the events of the log after a position, in the order committed, `limit` at the most.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return state.withLock { state in
            state.events(after: position, limit: limit)
        }
    }

    /// Gives what the store holds at this moment, whatever is committed later.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        return InMemorySnapshot(state.withLock { $0 })
    }
}
