// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

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
