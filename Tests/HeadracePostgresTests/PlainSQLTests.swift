// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceResolution
import HeadraceStorage
import Testing

@Suite(.needsServer, .timeLimit(.minutes(2))) struct PlainSQLTests {
    @Test func aStatementChangesItsTableWithTheUnitOfWork() async throws {
        try await withTable { schema, store in
            let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Note("a"))
                context.perform(sql: "INSERT INTO total VALUES ($1, 5)", [.text("monday")])
                context.perform(
                    sql: "UPDATE total SET cents = cents + $1 WHERE day = $2", [.integer(7), .text("monday")])
            }

            #expect(try await total(schema) == 12)
            #expect(try await store.fetch(DocumentQuery(kind: "note")).count == 1)
        }
    }

    @Test func argumentsArriveWithTheirTypes() async throws {
        try await withTable { schema, store in
            let text = #"it's "quoted" \ %L %s $1 $a$ ; -- é"#
            let id = UUID()
            try await schema.run(
                "CREATE TABLE typed (a bigint, b double precision, c text, d bytea, e boolean, f uuid, g date, h text)")

            try await store.commit(
                .work(
                    "INSERT INTO typed VALUES ($1, $2, $3, $4, $5, $6, $7::date, $8)",
                    [
                        .integer(.min), .double(0.1), .text(text), .bytes(Data([0, 255])), .flag(true), .id(id),
                        .text("2026-02-28"), .text(nil),
                    ]))

            let row = try #require(
                try await schema.run("SELECT a, b = 0.1, c, d, e, f, g::text, h IS NULL FROM typed").first)
            #expect(try row.integer(0) == .min)
            #expect(try row.flag(1))
            #expect(try row.text(2) == text)
            #expect(Array(try row.bytes(3)) == [0, 255])
            #expect(try row.flag(4))
            #expect(try row.id(5) == id)
            #expect(try row.text(6) == "2026-02-28")
            #expect(try row.flag(7))
        }
    }

    @Test func aStatementThatFailsRefusesOnlyItsUnitOfWork() async throws {
        try await withTable { schema, store in
            try await schema.run("INSERT INTO total VALUES ('monday', 0)")

            let codes = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        var changes = ChangeSet.note("\(number)")
                        // Each fifth violates the check, and each third has no statement.
                        if number % 3 != 0 {
                            let cents = number % 5 == 0 ? "-1000" : "cents + 1"
                            changes.work = [StatementWork(sql: "UPDATE total SET cents = \(cents)", arguments: [])]
                        }
                        do {
                            try await store.commit(changes)
                            return (number, nil)
                        } catch let error as PostgresStatementError {
                            return (number, error.code.sqlState)
                        }
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            let failing = (0..<60).filter { $0 % 5 == 0 && $0 % 3 != 0 }
            #expect(Set(codes.keys) == Set(failing))
            #expect(Set(codes.values) == ["23514"])
            #expect(try await store.fetch(DocumentQuery(kind: "note")).count == 60 - failing.count)
            #expect(try await store.events(after: 0, limit: 99).count == 60 - failing.count)
            #expect(try await total(schema) == 40 - Int64(failing.count))
        }
    }

    @Test(arguments: [
        "COMMIT", "ROLLBACK", "SELECT 1; COMMIT", "DO $$ BEGIN COMMIT; END $$", "CALL committing()", "BEGIN",
    ])
    func aStatementThatEndsTheTransactionIsRefused(sql: String) async throws {
        try await withTable { schema, store in
            try await schema.run("CREATE PROCEDURE committing() LANGUAGE plpgsql AS 'BEGIN COMMIT; END'")

            let error = await #expect(throws: PostgresStatementError.self) { try await store.commit(.work(sql)) }

            #expect(error?.message.contains("remove BEGIN, COMMIT, and ROLLBACK") == true)
            #expect(try await store.find(EntityReference(kind: "note", key: "work")) == nil)
            #expect(try await store.events(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func aSerializationFailureOfAStatementCanBeRetried() async throws {
        try await withTable { schema, store in
            try await schema.run(
                """
                CREATE FUNCTION fail() RETURNS void LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'try again' USING ERRCODE = '40001'; END $$
                """)

            let error = await #expect(throws: StoreError.self) { try await store.commit(.work("SELECT fail()")) }

            #expect(error?.code == .locked)
            try await store.commit(.work("SELECT 1"))
        }
    }

    @Test func textWithNULIsRefused() async throws {
        try await withTable { _, store in
            for changes in [ChangeSet.work("SELECT '\0'"), .work("SELECT $1", [.text("a\0")])] {
                let error = await #expect(throws: PostgresStatementError.self) { try await store.commit(changes) }

                #expect(error?.code.sqlState == "22021")
            }
        }
    }

    @Test func otherWorkIsUnsupported() async throws {
        struct OtherWork: StoreWork {}
        try await withTable { _, store in
            var unit = ChangeSet.note("a")
            unit.work = [OtherWork()]
            let changes = unit

            let error = await #expect(throws: StoreError.self) { try await store.commit(changes) }

            #expect(error?.code == .unsupportedWork)
        }
    }

    private func withTable(_ body: (TestSchema, PostgresStore) async throws -> Void) async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            try await schema.run("CREATE TABLE total (day text PRIMARY KEY, cents bigint CHECK (cents >= 0))")
            try await body(schema, store)
        }
    }

    private func total(_ schema: TestSchema) async throws -> Int64? {
        try await schema.run("SELECT cents FROM total").first?.integer(0)
    }
}

extension ChangeSet {
    /// Inserts a note and executes a statement.
    fileprivate static func work(_ sql: String, _ arguments: [SQLArgument] = []) -> ChangeSet {
        var changes = ChangeSet.note("work")
        changes.work = [StatementWork(sql: sql, arguments: arguments)]
        return changes
    }
}
#endif
