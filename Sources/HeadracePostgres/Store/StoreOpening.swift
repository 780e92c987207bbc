// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// Opens a schema: creates or checks its tables, and makes its indexes match the declared ones, in one transaction.
///
/// Several processes may open a schema at the same time: they prepare it one after the other.
struct StoreOpening {
    let target: SessionTarget
    let schema: EntitySchema
    let mapper: PostgresErrorMapper

    /// Time to wait for other programs that opening locks out; `nil` not to look for them.
    var replacementTimeout: Duration?

    var faults: (@Sendable (FaultPoint) -> Void)?

    /// Opens the schema on `session`; `other` is a second connection, to test the locks.
    ///
    /// - Returns: The numbers of kinds and indexes, and the state in which they are valid. `session` is then registered with
    ///   ``OpenStores`` unless it is pooled.
    func open(on session: Session, other: Session) async throws -> (PostgresSchemaIDs, SchemaCheck.State) {
        let prepared = try await prepareWhenReplaceable(session, other: other)
        do {
            try await complete(prepared, session)
        } catch  where !prepared.new.isEmpty {
            // The thrown error says more than an error of the removal. If it fails, the next opening completes the indexes.
            try? await prepare(session, other: other) { try await undo(prepared, session) }
            throw error
        }
        return (prepared.numbers, prepared.state)
    }

    /// Prepares the schema, and waits outside of the transaction for programs that this one would lock out.
    private func prepareWhenReplaceable(_ session: Session, other: Session) async throws -> Prepared {
        let start = ContinuousClock.now
        while true {
            do {
                return try await prepare(session, other: other) {
                    try await prepareTables(session)
                    let prepared = try await reconcile(session)
                    if !target.isPooled { try await OpenStores(schema: target.schema, session: session).register() }
                    return prepared
                }
            } catch let error as StoreError where error.code == .inUse {
                if ContinuousClock.now >= start.advanced(by: replacementTimeout ?? .zero) { throw error }
                faults?(.inUse)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Creates the schema with the contents of another store; the connections are as for ``open(on:other:)``.
    ///
    /// - Returns: Number of copied rows by table.
    func copy(_ copying: StoreCopying, on session: Session, other: Session) async throws -> [StoreTable: Int] {
        try await prepare(session, other: other) {
            try await copying.requireEmpty(session, schema: target.schema)
            try await prepareTables(session)
            let counts = try await copying.copy(on: session)
            try await complete(try await reconcile(session), session)
            try await copying.finish(session)
            return counts
        }
    }

    /// The kinds and indexes of the store in the database.
    private struct Prepared {
        let numbers: PostgresSchemaIDs
        let state: SchemaCheck.State

        /// The indexes that this opening has created.
        let new: Set<Int64>

        /// The kinds whose schema version this opening has raised, with the versions before.
        let raised: [(id: Int64, version: Int64)]
    }

    /// Runs `body` in a transaction, while no other process opens the schema.
    private func prepare<Value>(
        _ session: Session,
        other: Session,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await requireUTF8(session)
        try await requireLocks(session, other)
        if target.isPooled { try await requireDefaults(session) }
        _ = try await session.run("BEGIN", isPrepared: false, isAlone: true)
        do {
            // Other openings may wait, too, so the wait has no limit.
            _ = try await session.run(
                """
                SELECT set_config('lock_timeout', '0', true),
                    pg_advisory_xact_lock(hashtextextended('headrace ' || $1, 0))
                """,
                [.text([UInt8](target.schema))],
                isLimited: false
            )
            let value = try await body()
            _ = try await session.run("COMMIT", isPrepared: false, isAlone: true)
            return value
        } catch {
            // The thrown error says more than an error of the roll-back.
            _ = try? await session.run("ROLLBACK", isPrepared: false, isAlone: true)
            throw error
        }
    }

    private func requireUTF8(_ session: Session) async throws {
        let encoding = try await session.run("SELECT current_setting('server_encoding')").first?.text(0)
        if encoding == "UTF8" { return }
        throw mapper.unusable(
            "the encoding of the database is \(encoding ?? "unknown")",
            remedy: "create a database with the encoding UTF8"
        )
    }

    /// Tests that a lock excludes other connections: some databases with the same protocol accept locks and ignore them.
    private func requireLocks(_ session: Session, _ other: Session) async throws {
        let key = PostgresValue.integer(.random(in: .min ... .max))
        // Behind a pooler, only a transaction is a session.
        let isPooled = target.isPooled
        if isPooled { _ = try await session.run("BEGIN", isPrepared: false, isAlone: true) }
        _ = try await session.run(isPooled ? "SELECT pg_advisory_xact_lock($1)" : "SELECT pg_advisory_lock($1)", [key])
        let isTaken = try await other.run("SELECT pg_try_advisory_xact_lock($1)", [key]).first?.flag(0)
        if isPooled {
            _ = try await session.run("COMMIT", isPrepared: false, isAlone: true)
        } else {
            _ = try await session.run("SELECT pg_advisory_unlock($1)", [key])
        }
        if isTaken == false { return }
        throw mapper.unusable(
            "two sessions hold the same advisory lock, so its writers can't exclude each other",
            remedy: "use PostgreSQL, and for a connection pooler set 'isPooled'"
        )
    }

    /// Requires the defaults that a pooled connection can't change for itself.
    private func requireDefaults(_ session: Session) async throws {
        let row = try await session.run(
            "SELECT current_setting('default_transaction_isolation'), current_setting('synchronous_commit')")
        let (isolation, durability) = (try row.first?.text(0), try row.first?.text(1))
        let wrong =
            isolation != "read committed"
            ? "default_transaction_isolation = 'read committed'"
            : durability == "off" ? "synchronous_commit = 'on'" : nil
        if let wrong {
            throw mapper.unusable(
                "its connections are pooled, and the database has another default than \(wrong)",
                remedy: "run ALTER ROLE … SET \(wrong)"
            )
        }
    }

    // MARK: Tables

    private func prepareTables(_ session: Session) async throws {
        // Even with IF NOT EXISTS, the statement needs the right to create schemas.
        let exists = try await session.run(
            "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)", [.text([UInt8](target.schema))])
        if try exists.first?.flag(0) == false {
            _ = try await session.run("CREATE SCHEMA \(target.quotedSchema)", isPrepared: false)
        }
        let tables = try await session.run(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = $1", [.text([UInt8](target.schema))])
        let names = Set(try tables.rows.map { try $0.text(0) })
        if names.isEmpty { return try await createTables(session) }
        guard names.isSuperset(of: ["store", "entity", "event", "lane"]) else {
            throw mapper.unusable(
                "the schema has the tables of another program, and nothing in it was changed",
                remedy: "name another schema"
            )
        }
        let version = try await session.run("SELECT tables FROM store").first?.integer(0) ?? 0
        if version > TableSchema.version {
            throw mapper.newerSchema("it has tables that this version of Headrace doesn't know")
        }
        try await requireReplaceable(session)
        if version == TableSchema.version { return }
        for (next, statements) in TableSchema.migrations where next > version { try await run(statements, session) }
        try await run(procedures, session)
        _ = try await session.run("UPDATE store SET tables = $1", [.integer(TableSchema.version)])
    }

    /// Requires that no other program has the schema open, if this program can't share it with programs before it.
    private func requireReplaceable(_ session: Session) async throws {
        if replacementTimeout == nil || target.isPooled { return }
        let stored = try await PostgresSchemaIDs.read(schema.kinds.map(\.name), on: session)
        let changes = schema.kinds.compactMap { kind in
            stored.kinds[kind.name].flatMap {
                kind.obstacle(toSharingWithVersion: Int($0.schemaVersion), indexes: $0.declarations)
            }
        }
        guard let change = changes.first else { return }
        let others = try await OpenStores(schema: target.schema, session: session).exclude()
        if !others.isEmpty { throw StoreError.inUse(mapper.store, by: others, change: change) }
    }

    private func createTables(_ session: Session) async throws {
        try await run(TableSchema.statements + TableSchema.migrations.flatMap(\.statements), session)
        try await run(procedures, session)
        _ = try await session.run(
            "INSERT INTO store (one, tables, generation, identifier) VALUES (true, $1, 1, $2)",
            [.integer(TableSchema.version), .id(UUID())]
        )
    }

    /// The functions and procedures.
    ///
    /// A migration replaces those with the same parameters, so their results must not change. A function with other
    /// parameters doesn't replace its predecessor, which programs of earlier versions still call until they end.
    private var procedures: [String] {
        DeliveryProcedures.statements + ReplayProcedure.statements + OperatorProcedures.statements
            + LeaseProcedure.statements + SettlementProcedure.statements
            + StagedMessages.statements(target, channel: CommitNotice.channel(of: target.schema))
            + [IndexFunction.statement, CommitProcedure.work, CommitProcedure.statement]
    }

    private func run(_ statements: [String], _ session: Session) async throws {
        for statement in statements { _ = try await session.run(statement, isPrepared: false) }
    }

    // MARK: Kinds and indexes

    private func reconcile(_ session: Session) async throws -> Prepared {
        let names = schema.kinds.map(\.name)
        var hasChanged = false
        let before = try await PostgresSchemaIDs.read(names, on: session)
        for kind in schema.kinds {
            try TextLimit.require(kind.name, "name of the entity type")
            hasChanged = try await reconcile(kind, before.kinds[kind.name], session) || hasChanged
        }
        let numbers = hasChanged ? try await PostgresSchemaIDs.read(names, on: session) : before
        let statement = hasChanged ? "UPDATE store SET generation = generation + 1 RETURNING generation" : nil
        let rows = try await session.run(statement ?? "SELECT generation FROM store", isPrepared: false)
        let (declared, others) = numbers.declared(by: schema)
        let ids = declared.kinds.values.flatMap { $0.indexes.values.map(\.id) }
        return Prepared(
            numbers: declared,
            state: SchemaCheck.State(generation: try rows.first?.integer(0) ?? 0, undeclared: others),
            new: Set(ids).subtracting(before.kinds.values.flatMap { $0.indexes.values.map(\.id) }),
            raised: schema.kinds.compactMap { kind in
                before.kinds[kind.name].flatMap {
                    $0.schemaVersion < kind.schemaVersion ? ($0.id, $0.schemaVersion) : nil
                }
            }
        )
    }

    /// Creates the indexes of `kind` that are missing, and returns whether anything has changed.
    private func reconcile(
        _ kind: EntitySchema.Kind,
        _ stored: PostgresSchemaIDs.Kind?,
        _ session: Session
    ) async throws -> Bool {
        let version = Int64(kind.schemaVersion)
        if let stored, stored.schemaVersion > version {
            throw mapper.newerSchema(
                """
                '\(kind.name)' is stored with schema version \(stored.schemaVersion), but this program knows only \
                version \(version)
                """
            )
        }
        let row = try await session.run(
            """
            INSERT INTO entity_kind (name, schema_version) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET schema_version = $2 RETURNING id
            """,
            [.bytes([UInt8](kind.name)), .integer(version)]
        )
        let id = try row.first?.integer(0) ?? 0
        // With a new schema version, the values of each index can be different.
        let isNewer = stored?.schemaVersion != version
        var kept: Set<String> = []
        var removed = 0
        for (name, index) in stored?.indexes ?? [:] {
            let declared = EntitySchema.Index(
                name: name, isUnique: index.isUnique, holdsOneValue: index.holdsOneValue)
            if !isNewer, kind.indexes.contains(declared) {
                kept.insert(name)
            } else if !isNewer, !kind.indexes.contains(where: { $0.name == name }) {
                // Programs that declare the index may be open, and one of an earlier version may be opening the store.
                continue
            } else {
                removed += 1
                _ = try await session.run("DELETE FROM unindexed WHERE index_id = $1", [.integer(index.id)])
                _ = try await session.run("DELETE FROM index_entry WHERE index_id = $1", [.integer(index.id)])
                _ = try await session.run("DELETE FROM entity_index WHERE id = $1", [.integer(index.id)])
            }
        }
        let missing = kind.indexes.filter { !kept.contains($0.name) }
        for index in missing {
            // Each stored document is missing in the new index. The documents are added without the lock of writers.
            _ = try await session.run(
                """
                WITH made AS (
                    INSERT INTO entity_index (kind, name, is_unique, holds_one_value) VALUES ($1, $2, $3, $4) RETURNING id
                )
                INSERT INTO unindexed (index_id, key) SELECT made.id, key FROM entity, made WHERE entity.kind = $1
                """,
                [.integer(id), .bytes([UInt8](index.name)), .flag(index.isUnique), .flag(index.holdsOneValue)],
                isLimited: false
            )
        }
        return isNewer || removed > 0 || !missing.isEmpty
    }

    /// Adds the documents that indexes miss to the indexes, in steps that hold the lock of writers for a short time.
    ///
    /// Programs of other versions write meanwhile.
    private func complete(_ prepared: Prepared, _ session: Session) async throws {
        let reading = DocumentReading(session: session, numbers: prepared.numbers)
        let outdated = OutdatedIndexes(reading: reading, schema: schema)
        for kind in schema.kinds {
            let names = Set(kind.indexes.map(\.name))
            while try await outdated.complete(names, of: kind, isStrict: true) {}
            for index in kind.indexes where index.isUnique {
                guard let id = reading.numbers.index(index.name, of: kind.name)?.id, prepared.new.contains(id)
                else { continue }
                try await requireUnique(index.name, id, of: kind.name, session)
            }
        }
    }

    /// Removes the indexes that this opening has created, in the open transaction, and lowers the schema versions that it has
    /// raised, so that the program before can be started again.
    private func undo(_ prepared: Prepared, _ session: Session) async throws {
        let ids = PostgresValue.integers(Array(prepared.new))
        for table in ["unindexed", "index_entry"] {
            _ = try await session.run("DELETE FROM \(table) WHERE index_id = ANY ($1)", [ids], isLimited: false)
        }
        _ = try await session.run("DELETE FROM entity_index WHERE id = ANY ($1)", [ids])
        for (id, version) in prepared.raised {
            _ = try await session.run(
                "UPDATE entity_kind SET schema_version = $2 WHERE id = $1", [.integer(id), .integer(version)])
        }
        _ = try await session.run("UPDATE store SET generation = generation + 1", isPrepared: false)
    }

    private func requireUnique(_ name: String, _ id: Int64, of kind: String, _ session: Session) async throws {
        let rows = try await session.run(
            """
            SELECT (array_agg(key ORDER BY key))[1], (array_agg(key ORDER BY key))[2], value FROM index_entry
            WHERE index_id = $1 GROUP BY value HAVING count(*) > 1 LIMIT 1
            """,
            [.integer(id)],
            isLimited: false
        )
        guard let row = rows.first else { return }
        throw StoreError.uniqueViolation(
            EntityReference(kind: kind, key: try row.text(1)),
            entry: ChangeSet.IndexEntry(index: name, value: IndexValue(sortKey: try row.bytes(2))),
            takenBy: try row.text(0)
        )
    }
}

extension SessionTarget {
    /// Creates the target of the connections of a store.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the name of the schema isn't valid.
    init(url: String, configuration: PostgresStore.Configuration, mapper: PostgresErrorMapper) throws {
        let length = configuration.schema.utf8.count
        if length == 0 || length > 63 || configuration.schema.utf8.contains(0) {
            throw mapper.unusable("its name isn't the name of a schema", remedy: "use a name of 1 to 63 bytes")
        }
        self.init(
            url: url,
            schema: configuration.schema,
            connectTimeout: Int(max(1, (configuration.connectTimeout / .seconds(1)).rounded(.up))),
            timeout: configuration.answerTimeout,
            lockTimeout: configuration.lockTimeout,
            isPooled: configuration.isPooled
        )
    }
}
#endif
