// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import Headrace
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Sale: StoredEntity {
    static let entityName = "sale"

    let id: String
    let day: String
    let cents: Int
    var raisedEvents = RaisedEvents()

    init(_ id: String, day: String, cents: Int) {
        self.id = id
        self.day = day
        self.cents = cents
    }
}

private func sell(_ sale: Sale, in unitOfWork: UnitOfWork<EntityContext>) async throws {
    let (day, cents) = (sale.day, sale.cents)
    try await unitOfWork.execute { context in
        context.insert(sale)
        context.perform { database in
            try database.execute(
                sql: """
                    INSERT INTO shop_daily_total VALUES (?, ?)
                    ON CONFLICT (day) DO UPDATE SET cents = cents + excluded.cents
                    """,
                arguments: [day, cents]
            )
        }
    }
}

private func makeTables(in unitOfWork: UnitOfWork<EntityContext>) async throws {
    try await unitOfWork.execute { context in
        context.perform { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS shop_daily_total
                    (day TEXT PRIMARY KEY, cents INTEGER NOT NULL)
                    """
            )
        }
    }
}

private func dailyTotals(in path: String) throws -> [String: Int] {
    var configuration = Configuration()
    configuration.readonly = true
    let file = try DatabaseQueue(path: path, configuration: configuration)
    return try file.read { database in
        let rows = try Row.fetchAll(database, sql: "SELECT day, cents FROM shop_daily_total")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["day"], $0["cents"]) })
    }
}

private func centsByDay(in path: String) throws -> [String: Int] {
    let file = try DatabaseQueue(path: path)
    return try file.read { database in
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT document ->> 'day' AS day, SUM(document ->> 'cents') AS cents
                FROM headrace_entity JOIN headrace_entity_kind AS kinds ON kinds.id = kind
                WHERE kinds.name = 'sale' GROUP BY day
                """
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["day"], $0["cents"]) })
    }
}

@Suite(.timeLimit(.minutes(2))) struct PlainSQLTests {
    private func withStore(
        _ body: nonisolated(nonsending) (SQLiteStore, UnitOfWork<EntityContext>) async throws -> Void
    ) async throws {
        try await withStoreFolder { folder in
            let store = try SQLiteStore(path: folder + "/shop.sqlite", entities: [Sale.self])
            try await body(store, UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)))
        }
    }

    @Test func theTotalChangesInTheTransactionOfTheSale() async throws {
        try await withStore { store, unitOfWork in
            try await makeTables(in: unitOfWork)
            try await sell(Sale("1", day: "Monday", cents: 300), in: unitOfWork)
            try await sell(Sale("2", day: "Monday", cents: 200), in: unitOfWork)

            #expect(try dailyTotals(in: store.path) == ["Monday": 500])
            #expect(try centsByDay(in: store.path) == ["Monday": 500])
        }
    }

    @Test func theTablesOfTheStoreHaveTheDocumentedNames() async throws {
        try await withStore { store, _ in
            let others = try await DatabaseQueue(path: store.path).read { database in
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                            AND name NOT LIKE 'headrace!_%' ESCAPE '!'
                        """
                )
            }

            #expect(others == ["grdb_migrations"])
        }
    }

    @Test func closuresRunInTheOrderOfTheirCallsAfterTheEntitiesAreWritten() async throws {
        try await withStore { store, unitOfWork in
            try await unitOfWork.execute { context in
                context.perform { try $0.execute(sql: "CREATE TABLE shop_count (sales INTEGER)") }
                context.perform { try $0.execute(sql: "INSERT INTO shop_count SELECT COUNT(*) FROM headrace_entity") }
                context.insert(Sale("1", day: "Monday", cents: 300))
            }

            let count = try await DatabaseQueue(path: store.path).read { database in
                try Int.fetchOne(database, sql: "SELECT sales FROM shop_count")
            }
            #expect(count == 1)
        }
    }

    @Test func withoutTheTableNothingIsStored() async throws {
        try await withStore { store, unitOfWork in
            await #expect(throws: DatabaseError.self) {
                try await sell(Sale("1", day: "Monday", cents: 300), in: unitOfWork)
            }

            let sales = try await EntityContext(store).fetch(Sale.self)
            #expect(sales.isEmpty)
        }
    }

    @Test func ifTheUnitOfWorkFailsTheSQLDoesNotRun() async throws {
        struct Refusal: Error {}
        try await withStore { store, unitOfWork in
            try await makeTables(in: unitOfWork)

            await #expect(throws: Refusal.self) {
                try await unitOfWork.execute { _ in
                    try await sell(Sale("1", day: "Monday", cents: 300), in: unitOfWork)
                    throw Refusal()
                }
            }

            #expect(try dailyTotals(in: store.path) == [:])
        }
    }
}
#endif
