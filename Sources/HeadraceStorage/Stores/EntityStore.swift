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
