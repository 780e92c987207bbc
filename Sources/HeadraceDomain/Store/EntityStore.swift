//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keeps entities as documents, and the log of their durable events.
///
/// ``InMemoryStore`` and the SQLite store are stores. A store of your own passes the contract suite of
/// `HeadraceTesting`.
public protocol EntityStore: AnyObject, Sendable {
    /// The types of entity that the store was opened with.
    var schema: EntitySchema { get }

    /// Gives the document of an entity, or `nil` where there is none.
    ///
    /// - Throws: ``StoreError`` where the store cannot be read; `CancellationError`.
    func find(_ reference: EntityReference) async throws -> StoredDocument?

    /// Gives the documents that `query` asks for, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument]

    /// Applies `changes`, appends its events and does its work, in one transaction, and returns when they are as durable
    /// as it asks.
    ///
    /// The outcome is certain: cancellation of the task does not stop a commit that has begun.
    ///
    /// - Throws: ``StoreError`` with the code ``StoreError/Code/versionConflict``, `alreadyExists` or
    ///   `uniqueViolation` where the stored state does not allow the changes, `undeclaredEntity` where the store
    ///   was not opened with a kind, `unsupportedWork` where it does not know the work, or with another one where the
    ///   store cannot be written. Nothing has changed then.
    func commit(_ changes: ChangeSet) async throws

    /// Gives the events of the log after a position, in the order committed, `limit` at the most.
    ///
    /// - Throws: As of ``find(_:)``.
    func events(after position: Int64, limit: Int) async throws -> [EventRecord]
}
