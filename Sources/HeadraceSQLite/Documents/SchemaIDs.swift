// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The IDs under which a file keeps the names of kinds and indexes.
struct SchemaIDs: Sendable {
    struct Index: Sendable {
        let id: Int64
        let isUnique: Bool
        let holdsOneValue: Bool

        init(_ index: EntitySchema.Index, id: Int64) {
            self.id = id
            isUnique = index.isUnique
            holdsOneValue = index.holdsOneValue
        }
    }

    private struct Kind: Sendable {
        let id: Int64
        let declaration: EntitySchema.Kind
        var indexes: [String: Index] = [:]
    }

    private var kinds: [String: Kind] = [:]

    /// The indexes of the file that the store doesn't declare, by kind.
    private(set) var undeclared: [Int64: [Int64]] = [:]

    /// The indexes that this opening has created.
    private(set) var created: Set<Int64> = []

    /// The kinds whose schema version this opening has raised, with the versions before.
    private var raised: [(id: Int64, version: Int)] = []

    /// The indexes of the store, in the order of their creation.
    var indexes: [(name: String, index: Index, kind: String)] {
        kinds.flatMap { kind, value in value.indexes.map { ($0.key, $0.value, kind) } }.sorted {
            $0.index.id < $1.index.id
        }
    }

    /// Returns the ID of a kind, or `nil` if the store was opened without the kind.
    func kind(_ name: String) -> Int64? {
        kinds[name]?.id
    }

    /// Returns the index `name` of a kind, or `nil` if the kind does not declare it.
    func index(_ name: String, of kind: String) -> Index? {
        kinds[kind]?.indexes[name]
    }

    /// Returns the declaration of a kind, or `nil` if the store was opened without the kind.
    func declaration(_ name: String) -> EntitySchema.Kind? {
        kinds[name]?.declaration
    }

    /// Compares the kinds with those of the file.
    ///
    /// - Returns: A kind that misses an index in the file or has another schema version, or `nil`; and the indexes that
    ///   other programs have added, by kind.
    func compare(in database: Database) throws -> (changed: String?, undeclared: [Int64: [Int64]]) {
        var undeclared: [Int64: [Int64]] = [:]
        for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            let version = try Int.fetchOne(
                database,
                sql: "SELECT schema_version FROM headrace_entity_kind WHERE id = ?",
                arguments: [kind.id]
            )
            // The ID of an index is never reused, and its row never changes.
            let indexes = try Set(
                Int64.fetchAll(
                    database, sql: "SELECT id FROM headrace_entity_index WHERE kind = ?", arguments: [kind.id])
            )
            let declared = Set(kind.indexes.values.map(\.id))
            if version != kind.declaration.schemaVersion || !declared.isSubset(of: indexes) { return (name, [:]) }
            let others = indexes.subtracting(declared)
            if !others.isEmpty { undeclared[kind.id] = others.sorted() }
        }
        return (nil, undeclared)
    }

    /// Assigns IDs to the kinds and indexes of `schema`.
    ///
    /// Creates the indexes of `schema` that are missing, without documents: the table `headrace_unindexed` has their keys. An index that
    /// `schema` doesn't declare stays for the programs that declare it, unless the schema version is raised or an index of the
    /// same name has other properties.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - database: The connection, in a transaction.
    ///   - path: The path of the file, for messages.
    ///   - willReplace: Is called with the reason if other programs can't share a kind any longer; its error ends the opening.
    /// - Returns: The IDs.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `newerSchema`; the errors of `willReplace`.
    static func reconcile(
        _ schema: EntitySchema,
        in database: Database,
        path: String,
        willReplace: (String) throws -> Void = { _ in }
    ) throws -> SchemaIDs {
        var ids = SchemaIDs()
        for kind in schema.kinds {
            let (id, version) = try reconcile(kind, in: database, path: path)
            let stored = try storedIndexes(of: id, in: database)
            if let reason = kind.obstacle(toSharingWithVersion: version, indexes: stored.map(\.index)) {
                try willReplace(reason)
            }
            let isNewer = version < kind.schemaVersion
            if isNewer { ids.raised.append((id, version)) }
            var entry = Kind(id: id, declaration: kind)
            for (indexID, index) in stored {
                if !isNewer, kind.indexes.contains(index) {
                    entry.indexes[index.name] = Index(index, id: indexID)
                } else if !isNewer, !kind.indexes.contains(where: { $0.name == index.name }) {
                    ids.undeclared[id, default: []].append(indexID)
                } else {
                    try remove(indexID, in: database)
                }
            }
            let missing = kind.indexes.filter { entry.indexes[$0.name] == nil }
            for index in missing {
                try database.execute(
                    sql:
                        "INSERT INTO headrace_entity_index (kind, name, is_unique, holds_one_value) VALUES (?, ?, ?, ?)",
                    arguments: [id, SQLText(index.name), index.isUnique, index.holdsOneValue]
                )
                let indexID = database.lastInsertedRowID
                entry.indexes[index.name] = Index(index, id: indexID)
                ids.created.insert(indexID)
                try database.execute(
                    sql:
                        "INSERT INTO headrace_unindexed (index_id, key) SELECT ?, key FROM headrace_entity WHERE kind = ?",
                    arguments: [indexID, id]
                )
            }
            ids.kinds[kind.name] = entry
        }
        return ids
    }

    /// Removes the indexes that this opening has created, in the open transaction, and lowers the schema versions that it has
    /// raised, so that the program before can be started again.
    func undo(in database: Database) throws {
        for index in created { try Self.remove(index, in: database) }
        for (id, version) in raised {
            try database.execute(
                sql: "UPDATE headrace_entity_kind SET schema_version = ? WHERE id = ?", arguments: [version, id])
        }
    }

    /// Removes an index with its entries in the open transaction.
    private static func remove(_ index: Int64, in database: Database) throws {
        for condition in ["unindexed WHERE index_id", "index_entry WHERE index_id", "entity_index WHERE id"].map({
            "headrace_\($0)"
        }) {
            try database.execute(sql: "DELETE FROM \(condition) = ?", arguments: [index])
        }
    }

    private static func storedIndexes(
        of kind: Int64,
        in database: Database
    ) throws -> [(id: Int64, index: EntitySchema.Index)] {
        try Row.fetchAll(
            database,
            sql: "SELECT id, name, is_unique, holds_one_value FROM headrace_entity_index WHERE kind = ? ORDER BY id",
            arguments: [kind]
        ).map { row in
            let index = EntitySchema.Index(
                name: try row.decode(SQLText.self, forColumn: "name").text,
                isUnique: try row.decode(forColumn: "is_unique"),
                holdsOneValue: try row.decode(forColumn: "holds_one_value")
            )
            return (try row.decode(forColumn: "id"), index)
        }
    }

    /// Assigns an ID to `kind`.
    ///
    /// - Returns: The ID, and the schema version that the file had.
    private static func reconcile(
        _ kind: EntitySchema.Kind,
        in database: Database,
        path: String
    ) throws -> (id: Int64, version: Int) {
        let stored = try Row.fetchOne(
            database,
            sql: "SELECT id, schema_version FROM headrace_entity_kind WHERE name = ?",
            arguments: [SQLText(kind.name)]
        )
        guard let stored else {
            try database.execute(
                sql: "INSERT INTO headrace_entity_kind (name, schema_version) VALUES (?, ?)",
                arguments: [SQLText(kind.name), kind.schemaVersion]
            )
            return (database.lastInsertedRowID, kind.schemaVersion)
        }
        let version: Int = try stored.decode(forColumn: "schema_version")
        if version > kind.schemaVersion {
            throw StoreSchema.newerSchema(
                path,
                "'\(kind.name)' is stored with schema version \(version), but this program knows only version \(kind.schemaVersion)"
            )
        }
        let id: Int64 = try stored.decode(forColumn: "id")
        if version < kind.schemaVersion {
            try database.execute(
                sql: "UPDATE headrace_entity_kind SET schema_version = ? WHERE id = ?",
                arguments: [kind.schemaVersion, id]
            )
        }
        return (id, version)
    }

    /// Returns the statement for `query`, or `nil` if it uses an undeclared name and so matches nothing.
    func statement(for query: DocumentQuery) -> DocumentStatement? {
        guard let kind = kind(query.kind) else { return nil }
        var statement = DocumentStatement(kind: kind)
        for condition in query.conditions {
            guard let index = index(condition.index, of: query.kind) else { return nil }
            statement.require(condition.test, in: index.id)
        }
        if let order = query.order {
            guard let index = index(order.index, of: query.kind) else { return nil }
            statement.order(by: index, descending: order.isDescending)
        }
        statement.after = query.after
        statement.limit = query.limit
        return statement
    }
}
#endif
