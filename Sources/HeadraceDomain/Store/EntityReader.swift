//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What can be read of a store, or of one moment of it.
public protocol EntityReader: AnyObject, Sendable {
    /// Gives the document of an entity, or `nil` where there is none.
    ///
    /// - Throws: ``StoreError`` where the store cannot be read; `CancellationError`.
    func find(_ reference: EntityReference) async throws -> StoredDocument?

    /// Gives the documents that `query` asks for, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument]

    /// Gives the events of the log after a position, in the order committed, `limit` at the most.
    ///
    /// - Throws: As of ``find(_:)``.
    func events(after position: Int64, limit: Int) async throws -> [EventRecord]
}
