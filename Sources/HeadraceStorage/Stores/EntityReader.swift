// SPDX-License-Identifier: Apache-2.0

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
