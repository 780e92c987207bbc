// SPDX-License-Identifier: Apache-2.0

/// Keeps entities as documents, and the log of their durable events.
///
/// ``InMemoryStore`` and the SQLite store conform. Run the contract suite of `HeadraceStoreContract` on your own store.
public protocol EntityStore: EntityReader {
    /// The types of entity that the store was opened with.
    var schema: EntitySchema { get }

    /// Applies `changes`, appends the events, and executes the work, in one transaction.
    ///
    /// Returns when the changes are as durable as ``ChangeSet/durability`` requires. A store checks the idempotency
    /// keys of `changes` before everything else.
    ///
    /// The outcome is certain: cancellation of the task doesn't stop a commit that has begun. A store on a server throws
    /// the code `outcomeUnknown` if it loses the server during a commit and can't learn the outcome in time.
    ///
    /// - Throws: ``StoreError`` with the code `StoreError.Code.versionConflict`, `alreadyExists`, or
    ///   `uniqueViolation` if the stored state doesn't allow the changes, `undeclaredEntity` if the store was opened
    ///   without a kind, `unsupportedWork` if it doesn't support the work, or another code if the store can't be
    ///   written. Then nothing has changed.
    func commit(_ changes: ChangeSet) async throws

    /// Returns a snapshot of the store, which later commits don't change.
    ///
    /// - Throws: The same errors as ``EntityReader/find(_:)``.
    func snapshot() async throws -> any EntityReader

    /// Releases the files and the connections of the store.
    ///
    /// Close a store after its last use. After that, each use of a store with files or connections throws ``StoreError``
    /// with the code `closed`. Closing a store again does nothing. A store without such resources does nothing at all.
    ///
    /// - Throws: ``StoreError`` with the code `locked` if the store is in use and can't be closed.
    func close() throws
}

/// Read access to a store, or to a snapshot of a store.
public protocol EntityReader: AnyObject, Sendable {
    /// Returns the document of an entity, or `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` if the store can't be read; `CancellationError`.
    func find(_ reference: EntityReference) async throws -> StoredDocument?

    /// Returns the documents of several entities, in the order of `references`; missing entities are left out.
    ///
    /// The default implementation calls ``find(_:)`` for each reference. The stores of Headrace read all documents at
    /// once, as one consistent read.
    ///
    /// - Throws: The same errors as ``find(_:)``.
    func find(all references: [EntityReference]) async throws -> [StoredDocument]

    /// Returns the documents that match `query`, as one consistent read.
    ///
    /// - Throws: The same errors as ``find(_:)``, and the code `unknownIndex` if the kind doesn't declare an index of the query; see
    ///   ``EntitySchema/requireIndexes(of:)``.
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument]

    /// Returns the number of documents that ``fetch(_:)`` returns for `query`.
    ///
    /// The default implementation fetches the documents. A store that can count them without reading them implements it.
    ///
    /// - Throws: The same errors as ``fetch(_:)``.
    func count(_ query: DocumentQuery) async throws -> Int

    /// Returns at most `limit` events of the log after a position, in commit order.
    ///
    /// - Throws: The same errors as ``find(_:)``.
    func events(after position: Int64, limit: Int) async throws -> [EventRecord]
}

extension EntityReader {
    /// Reads the documents one after the other.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        for reference in references {
            if let document = try await find(reference) { documents.append(document) }
        }
        return documents
    }

    /// Fetches the documents, and counts them.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try await fetch(query).count
    }
}

/// A store whose commits can be observed, for example by live queries.
public protocol ObservableStore: EntityStore {
    /// Records the commits of this store object.
    var commitFeed: CommitFeed { get }

    /// Looks for commits of other processes, and of other store objects on the same data, and records them in
    /// ``commitFeed``.
    ///
    /// The default does nothing, which is right for a store that has no other writers.
    ///
    /// - Throws: ``StoreError`` if the store can't be read; `CancellationError`.
    func noticeOtherCommits() async throws
}

extension ObservableStore {
    /// Does nothing.
    public func noticeOtherCommits() async throws {}
}

/// A store that other processes can use at the same time, and that lets them wait for the locks of a unit of work.
package protocol LockingStore: EntityStore {
    /// Returns the locks of one unit of work, which holds none yet.
    func makeLocks() -> any StoreLocks
}

/// The locks of one unit of work in a store.
///
/// They are released with the object, at the latest.
package protocol StoreLocks: AnyObject, Sendable {
    /// Returns when no unit of work of another process has locked the entity of `reference`, and locks it.
    ///
    /// Locking an entity again changes nothing.
    ///
    /// - Throws: ``StoreError`` with the code `locked` if the wait takes too long or could never end, or another code if the store
    ///   can't be reached; `CancellationError`.
    nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws

    /// Releases all locks. Later calls have no effect.
    func release()
}

extension EntityStore {
    /// The store below all decorators, of which each entity is locked once.
    package var lockedStore: any EntityStore { (self as? any DeliveryStore)?.undecorated ?? self }
}
