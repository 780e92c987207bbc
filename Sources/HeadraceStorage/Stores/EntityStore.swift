//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keeps entities as documents, and the log of their durable events.
///
/// ``InMemoryStore`` and the SQLite store are stores. A store of your own passes the contract suite of
/// `HeadraceTesting`.
public protocol EntityStore: EntityReader {
    /// The types of entity that the store was opened with.
    var schema: EntitySchema { get }

    /// Applies `changes`, appends its events and does its work, in one transaction, and returns when they are as durable
    /// as it asks.
    ///
    /// A store checks the idempotency keys of `changes` before everything else.
    ///
    /// The outcome is certain: cancellation of the task does not stop a commit that has begun.
    ///
    /// - Throws: ``StoreError`` with the code ``StoreError/Code/versionConflict``, `alreadyExists` or
    ///   `uniqueViolation` where the stored state does not allow the changes, `undeclaredEntity` where the store
    ///   was not opened with a kind, `unsupportedWork` where it does not know the work, or with another one where the
    ///   store cannot be written. Nothing has changed then.
    func commit(_ changes: ChangeSet) async throws

    /// Gives what the store holds at this moment, whatever is committed later.
    ///
    /// - Throws: As of ``EntityReader/find(_:)``.
    func snapshot() async throws -> any EntityReader
}
