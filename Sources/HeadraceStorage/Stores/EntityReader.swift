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

    /// Gives the documents of several entities, in the order of `references`; those that there are not are left out.
    ///
    /// The default asks ``find(_:)`` for each; the stores read them all at once, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    func find(all references: [EntityReference]) async throws -> [StoredDocument]

    /// Gives the documents that `query` asks for, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument]

    /// Gives the events of the log after a position, in the order committed, `limit` at the most.
    ///
    /// - Throws: As of ``find(_:)``.
    func events(after position: Int64, limit: Int) async throws -> [EventRecord]
}

extension EntityReader {
    /// Finds them one after the other.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        for reference in references {
            if let document = try await find(reference) { documents.append(document) }
        }
        return documents
    }
}
