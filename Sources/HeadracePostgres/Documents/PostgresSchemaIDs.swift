// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

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
#endif
