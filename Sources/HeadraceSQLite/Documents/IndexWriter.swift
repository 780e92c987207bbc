// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// Adds entries to indexes, and removes them, within the open transaction.
struct IndexWriter {
    private let database: Database
    private let ids: SchemaIDs

    init(_ database: Database, ids: SchemaIDs) {
        self.database = database
        self.ids = ids
    }

    /// Adds `entries`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `uniqueViolation` if another entity has a value that must be
    ///   unique.
    func add(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            if index.isUnique {
                // This transaction is the only one that writes, so nothing is inserted between the check and the insertion.
                if let other = try key(of: entry.value, in: index) {
                    throw StoreError.uniqueViolation(reference, entry: entry, takenBy: other)
                }
            }
            try store(entry, in: index, of: reference)
        }
    }

    /// Adds `entries`, also if another entity has a value that must be unique.
    func store(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            try store(entry, in: index, of: reference)
        }
    }

    private func store(
        _ entry: ChangeSet.IndexEntry,
        in index: SchemaIDs.Index,
        of reference: EntityReference
    ) throws {
        try database.run(
            "INSERT INTO headrace_index_entry (index_id, value, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ) {
            statement in
            statement.bind(index.id)
            statement.bind(entry.value)
            statement.bind(reference.key)
        }
    }

    /// Removes `entries`.
    ///
    /// Missing entries are ignored.
    func remove(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            try database.run("DELETE FROM headrace_index_entry WHERE index_id = ? AND value = ? AND key = ?") {
                statement in
                statement.bind(index.id)
                statement.bind(entry.value)
                statement.bind(reference.key)
            }
        }
    }

    /// Returns the key of an entity that has `value` in `index`, or `nil`.
    private func key(of value: IndexValue, in index: SchemaIDs.Index) throws -> String? {
        try database.withPreparedStatement("SELECT key FROM headrace_index_entry WHERE index_id = ? AND value = ?") {
            statement in
            statement.bind(index.id)
            statement.bind(value)
            return try statement.next() ? try statement.text(0) : nil
        }
    }
}

/// The indexes that miss the changes of programs that don't declare them.
///
/// The table `headrace_unindexed` has the keys of the documents concerned. Their index entries are wrong or missing; all other
/// entries are right.
struct OutdatedIndexes {
    /// Number of documents that one step indexes, and from which on a query indexes them.
    static let stepSize = 100

    private let database: Database
    private let ids: SchemaIDs

    init(_ database: Database, ids: SchemaIDs) {
        self.database = database
        self.ids = ids
    }

    /// Returns the number of documents that are missing in the index `id`.
    func count(_ id: Int64) throws -> Int {
        Int(try database.integer("SELECT count(*) FROM headrace_unindexed WHERE index_id = ?") { $0.bind(id) } ?? 0)
    }

    /// Whether documents are missing in the index `id`.
    func contains(_ id: Int64) throws -> Bool {
        try database.integer("SELECT 1 FROM headrace_unindexed WHERE index_id = ? LIMIT 1") { $0.bind(id) } != nil
    }

    /// Returns the documents that match `query`, which is answered from the documents if indexes are out of date.
    ///
    /// - Returns: The documents, and whether so many are out of date that they should be indexed.
    func fetch(
        _ query: DocumentQuery,
        by statement: DocumentStatement
    ) throws -> (documents: [StoredDocument], isSlow: Bool) {
        let indexes = try outdated(query)
        guard !indexes.isEmpty, let kind = ids.declaration(query.kind), let number = ids.kind(query.kind) else {
            return (try OrderedSearch(query, ids: ids, in: database).documents(by: statement), false)
        }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT key, version, schema_version, document FROM headrace_entity WHERE kind = ? AND key IN (
                    SELECT key FROM headrace_unindexed WHERE index_id IN (\(indexes.map { "\($0)" }.joined(separator: ", ")))
                )
                """,
            arguments: [number]
        )
        let outdated = try rows.map { try indexed(DocumentReader.document(of: query.kind, $0), kind) }
        var wider = statement
        wider.limit = query.widened(by: outdated.count).limit
        let found = try DocumentReader.documents(of: query.kind, by: wider, in: database).map { try indexed($0, kind) }
        return (query.corrected(found, outdated: outdated), outdated.count >= Self.stepSize)
    }

    /// Returns the number of documents that match `query`, which are read only if indexes are out of date.
    ///
    /// - Returns: The number, and whether so many documents are out of date that they should be indexed.
    func count(_ query: DocumentQuery, by statement: DocumentStatement) throws -> (count: Int, isSlow: Bool) {
        if try outdated(query).isEmpty {
            let count = try database.integer(statement.countSQL) { row in
                for argument in statement.arguments { row.bind(argument) }
            }
            return (Int(count ?? 0), false)
        }
        let (documents, isSlow) = try fetch(query, by: statement)
        return (documents.count, isSlow)
    }

    /// Indexes some of the documents that are missing in the indexes of `query`.
    func complete(_ query: DocumentQuery) throws {
        for name in query.indexes.sorted() {
            guard let index = ids.index(name, of: query.kind), try contains(index.id) else { continue }
            try complete(index.id, name, of: query.kind)
        }
    }

    /// Indexes some of the documents that are missing in the index `id` within the open transaction.
    ///
    /// Values that must be unique and aren't are stored: an older program may have stored both documents.
    func complete(_ id: Int64, _ name: String, of kindName: String, limit: Int = stepSize * 10) throws {
        guard let kind = ids.declaration(kindName), let number = ids.kind(kindName) else { return }
        let keys = "SELECT key FROM headrace_unindexed WHERE index_id = ? ORDER BY key LIMIT \(limit)"
        let rows = try Row.fetchAll(
            database,
            sql:
                "SELECT key, version, schema_version, document FROM headrace_entity WHERE kind = ? AND key IN (\(keys))",
            arguments: [number, id]
        )
        try database.execute(
            sql: "DELETE FROM headrace_index_entry WHERE index_id = ? AND key IN (\(keys))", arguments: [id, id])
        for row in rows {
            let document = try indexed(DocumentReader.document(of: kindName, row), kind)
            try IndexWriter(database, ids: ids).store(document.entries(in: name), of: document.reference)
        }
        try database.execute(
            sql: "DELETE FROM headrace_unindexed WHERE index_id = ? AND key IN (\(keys))", arguments: [id, id])
    }

    /// Requires that no two documents have the same value in the index `id`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `uniqueViolation`.
    func requireUnique(_ id: Int64, _ name: String, of kindName: String) throws {
        let keys = try SQLText.fetchAll(
            database,
            sql: """
                SELECT key FROM headrace_index_entry WHERE index_id = ? AND value = (
                    SELECT value FROM headrace_index_entry WHERE index_id = ? GROUP BY value HAVING count(*) > 1 LIMIT 1
                ) ORDER BY key LIMIT 2
                """,
            arguments: [id, id]
        )
        guard let kind = ids.declaration(kindName), keys.count == 2 else { return }
        let references = keys.map { EntityReference(kind: kindName, key: $0.text) }
        let entries = try DocumentReader.documents(of: references, ids: ids, in: database)
            .map { Set(try indexed($0, kind).entries(in: name)) }
        guard let common = entries.first?.first(where: { entries.last?.contains($0) == true }) else { return }
        throw StoreError.uniqueViolation(references[1], entry: common, takenBy: references[0].key)
    }

    /// Returns the indexes of `query` that are out of date.
    private func outdated(_ query: DocumentQuery) throws -> [Int64] {
        let names = query.indexes
        if names.isEmpty { return [] }
        if try database.integer("SELECT 1 FROM headrace_unindexed LIMIT 1") == nil { return [] }
        return try names.compactMap { ids.index($0, of: query.kind)?.id }.filter { try contains($0) }
    }

    private func indexed(_ document: StoredDocument, _ kind: EntitySchema.Kind) throws -> IndexedDocument {
        try DocumentReader.indexed(document, kind, ids: ids, in: database)
    }
}
#endif
