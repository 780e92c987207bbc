// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// The indexes that miss the changes of programs that don't declare them.
///
/// The table `unindexed` has the keys of the documents concerned. Their index entries are wrong or missing; all other
/// entries are right.
struct OutdatedIndexes {
    /// Number of documents that one step indexes.
    private static let stepSize: Int64 = 500

    let reading: DocumentReading
    let schema: EntitySchema

    /// Returns the numbers of the indexes that `query` uses.
    func numbers(of query: DocumentQuery) -> [Int64] {
        query.indexes.compactMap { reading.numbers.index($0, of: query.kind)?.id }
    }

    /// Returns the documents that match `query`, which is answered from the documents if indexes are out of date.
    ///
    /// The connection must be in a transaction that reads from one snapshot.
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        guard let kind = schema.kinds.first(where: { $0.name == query.kind }),
            let number = reading.numbers.kind(query.kind), let statement = reading.numbers.statement(for: query)
        else { return [] }
        let indexes = numbers(of: query)
        if indexes.isEmpty { return try await reading.fetch(query, statement) }
        let rows = try await reading.session.run(
            """
            SELECT key, version, schema_version, document FROM entity
            WHERE kind = $1 AND key IN (SELECT key FROM unindexed WHERE index_id = ANY ($2))
            """,
            [.integer(number), .integers(indexes)],
            isLimited: false
        )
        let outdated = try rows.rows.map { try DocumentRows.document(of: kind.name, $0) }
        guard !outdated.isEmpty, let wider = reading.numbers.statement(for: query.widened(by: outdated.count)) else {
            return try await reading.fetch(query, statement)
        }
        let found = try await reading.fetch(query, wider)
        return query.corrected(try await indexed(found, kind), outdated: try await indexed(outdated, kind))
    }

    /// Returns the number of documents that match `query`, which are read only if indexes are out of date.
    ///
    /// The connection must be in a transaction that reads from one snapshot.
    func count(_ query: DocumentQuery) async throws -> Int {
        guard let statement = reading.numbers.statement(for: query) else { return 0 }
        let indexes = numbers(of: query)
        if !indexes.isEmpty {
            let outdated = try await reading.session.run(
                "SELECT 1 FROM unindexed WHERE index_id = ANY ($1) LIMIT 1", [.integers(indexes)])
            if outdated.count > 0 { return try await fetch(query).count }
        }
        return try await reading.count(statement)
    }

    /// Indexes some of the documents that are missing in the indexes `names` of `kind`.
    ///
    /// Values that must be unique and aren't are stored: an older program may have stored both documents. Documents that
    /// change meanwhile, and those with a text that is too long for an index, stay out of date.
    ///
    /// - Parameters:
    ///   - names: The names of the indexes.
    ///   - kind: The kind.
    ///   - isStrict: Whether a text that is too long is an error.
    /// - Returns: Whether more documents may be missing.
    /// - Throws: ``PostgresFailure``; ``HeadraceStorage/StoreError`` if a document can't be decoded, or with the code `tooLong`.
    @discardableResult
    func complete(_ names: Set<String>, of kind: EntitySchema.Kind, isStrict: Bool = false) async throws -> Bool {
        let indexes = names.compactMap { name in reading.numbers.index(name, of: kind.name).map { (name, $0.id) } }
        guard let number = reading.numbers.kind(kind.name), !indexes.isEmpty else { return false }
        let rows = try await reading.session.run(
            """
            SELECT missing.key, entity.version, entity.schema_version, entity.document, entity.xmin::text::bigint
            FROM (SELECT DISTINCT key FROM unindexed WHERE index_id = ANY ($2) ORDER BY key LIMIT $3) missing
            LEFT JOIN entity ON entity.kind = $1 AND entity.key = missing.key
            """,
            [.integer(number), .integers(indexes.map(\.1)), .integer(Self.stepSize)],
            isLimited: false
        )
        if rows.count == 0 { return false }
        var (keys, states): ([[UInt8]], [Int64?]) = ([], [])
        var documents: [StoredDocument] = []
        for row in rows.rows {
            if row.optionalInteger(1) == nil {
                keys.append(Array(try row.bytes(0)))
                states.append(nil)
            } else {
                documents.append(try DocumentRows.document(of: kind.name, row))
            }
        }
        let rowStates = rows.rows.compactMap { $0.optionalInteger(4) }
        var (ids, values, owners): ([Int64], [[UInt8]], [[UInt8]]) = ([], [], [])
        for (item, state) in zip(try await indexed(documents, kind), rowStates) {
            let key = [UInt8](item.reference.key)
            let entries = indexes.flatMap { name, id in item.entries(in: name).map { (id, $0.value) } }
            if isStrict {
                for entry in item.entries where names.contains(entry.index) {
                    guard case .text(let text) = entry.value else { continue }
                    try TextLimit.require(text, "value in '\(entry.index)'", of: item.reference)
                }
            }
            if !entries.allSatisfy({ TextLimit.allows($0.1) }) { continue }
            keys.append(key)
            states.append(state)
            for (id, value) in entries {
                ids.append(id)
                values.append(value.sortKey)
                owners.append(key)
            }
        }
        _ = try await reading.session.run(
            "SELECT index_documents($1, $2, $3, $4, $5, $6, $7)",
            [
                .integer(number), .integers(indexes.map(\.1)), .byteStrings(keys), .integers(states), .integers(ids),
                .byteStrings(values), .byteStrings(owners),
            ]
        )
        return rows.count == Int(Self.stepSize)
    }

    private func indexed(_ documents: [StoredDocument], _ kind: EntitySchema.Kind) async throws -> [IndexedDocument] {
        let entries = try await kind.entries(of: documents) { try await reading.find(all: $0) }
        return zip(documents, entries).map { IndexedDocument($0, $1) }
    }
}

/// The numbers under which the database keeps the names of kinds and indexes.
struct PostgresSchemaIDs: Sendable, Equatable {
    struct Index: Sendable, Equatable {
        let id: Int64
        let isUnique: Bool
        let holdsOneValue: Bool
    }

    struct Kind: Sendable, Equatable {
        let id: Int64
        let schemaVersion: Int64
        var indexes: [String: Index] = [:]

        var declarations: [EntitySchema.Index] {
            indexes.sorted { $0.key < $1.key }.map { name, index in
                EntitySchema.Index(name: name, isUnique: index.isUnique, holdsOneValue: index.holdsOneValue)
            }
        }
    }

    var kinds: [String: Kind] = [:]

    /// The indexes of the kinds that the store doesn't declare, because other programs have added them.
    struct Undeclared: Sendable, Equatable {
        let kind: Int64
        let index: Int64
    }

    /// Separates the indexes that `schema` declares from the others.
    func declared(by schema: EntitySchema) -> (declared: PostgresSchemaIDs, others: [Undeclared]) {
        let names = Dictionary(uniqueKeysWithValues: schema.kinds.map { ($0.name, Set($0.indexes.map(\.name))) })
        return separated { names[$0]?.contains($1) ?? false }
    }

    /// Compares the numbers of a store with those that the database has now.
    ///
    /// - Returns: A kind with another schema version or without one of its indexes, or `nil`; and the indexes that other
    ///   programs have added.
    func compare(with stored: PostgresSchemaIDs) -> (changed: String?, others: [Undeclared]) {
        let (same, others) = stored.separated { kinds[$0]?.indexes[$1] != nil }
        let changed = kinds.sorted { $0.key < $1.key }.first { same.kinds[$0.key] != $0.value }?.key
        return (changed, others)
    }

    private func separated(
        _ isDeclared: (_ kind: String, _ index: String) -> Bool
    ) -> (declared: PostgresSchemaIDs, others: [Undeclared]) {
        var (declared, others) = (self, [Undeclared]())
        for (name, kind) in kinds {
            for (index, value) in kind.indexes where !isDeclared(name, index) {
                declared.kinds[name]?.indexes[index] = nil
                others.append(Undeclared(kind: kind.id, index: value.id))
            }
        }
        return (declared, others)
    }

    /// Returns the number of a kind, or `nil` if the store was opened without the kind.
    func kind(_ name: String) -> Int64? {
        kinds[name]?.id
    }

    /// Returns the index `name` of a kind, or `nil` if the kind doesn't declare it.
    func index(_ name: String, of kind: String) -> Index? {
        kinds[kind]?.indexes[name]
    }

    /// Returns the statement for `query`, or `nil` if it uses an undeclared name, and so matches nothing.
    func statement(for query: DocumentQuery) -> SelectStatement? {
        guard let kind = kind(query.kind) else { return nil }
        return SelectStatement(query, kind: kind) { index($0, of: query.kind) }
    }

    /// Reads the numbers of the kinds with these names.
    static func read(_ names: [String], on session: Session) async throws -> PostgresSchemaIDs {
        let rows = try await session.run(
            """
            SELECT entity_kind.name, entity_kind.id, schema_version, entity_index.name, entity_index.id, is_unique,
                holds_one_value
            FROM entity_kind LEFT JOIN entity_index ON entity_index.kind = entity_kind.id
            WHERE entity_kind.name = ANY ($1)
            """,
            [.byteStrings(names.map { [UInt8]($0) })]
        )
        var numbers = PostgresSchemaIDs()
        for row in rows.rows {
            let name = try row.text(0)
            var kind = Kind(id: try row.integer(1), schemaVersion: try row.integer(2))
            kind.indexes = numbers.kinds[name]?.indexes ?? [:]
            if let index = row.optionalText(3) {
                kind.indexes[index] = Index(
                    id: try row.integer(4), isUnique: try row.flag(5), holdsOneValue: try row.flag(6))
            }
            numbers.kinds[name] = kind
        }
        return numbers
    }
}

/// Reads the tables of a store on one connection.
struct PostgresTableReader: StoreTableReader {
    let session: Session

    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]] {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        let keys = table.keyColumns.map(\.name).joined(separator: ", ")
        let marks = table.keyColumns.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(keys)) > (\(marks))"
        let rows = try await session.run(
            "SELECT \(columns) FROM \(table.name) \(condition) ORDER BY \(keys) LIMIT $1",
            [.integer(Int64(limit))] + (key ?? []).map(PostgresValue.init),
            isLimited: false
        )
        return try rows.rows.map { row in
            try table.columns.enumerated().map { try Self.value(of: $1.kind, in: $0, of: row) }
        }
    }

    private static func value(
        of kind: StoreTable.Column.Kind,
        in column: Int,
        of row: PostgresRow
    ) throws -> StoreValue {
        switch kind {
        case .integer: .integer(row.optionalInteger(column))
        case .flag: .flag(try row.flag(column))
        case .name: .name(row.optionalBytes(column).map { Array($0) })
        case .text, .plainText: .text(row.optionalBytes(column).map { Array($0) })
        case .id: .id(try row.id(column))
        }
    }
}

extension PostgresValue {
    /// The argument for a value of a row.
    init(_ value: StoreValue) {
        self =
            switch value {
            case .integer(let number): .integer(number)
            case .flag(let flag): .flag(flag)
            case .name(let bytes): .bytes(bytes)
            case .text(let bytes): .text(bytes)
            case .id(let id): .id(id)
            }
    }
}
#endif
