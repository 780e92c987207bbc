// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting

/// Raises events in transactions of a program that has its own tables, and confirms them in another table of the program.
enum Raising {
    /// Every fifth transaction is rolled back.
    private struct Regret: Error {}

    static func run(path: String, rows: Int) async throws {
        let pool = try open(path)
        var configuration = SQLiteStore.Configuration()
        configuration.faults = CrashFaults.store
        let store = try SQLiteStore(on: pool, configuration: configuration)
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(Confirm.self)

        try await Relaying.withRelay(on: store, registrar: registrar) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for customer in 0..<4 {
                    group.addTask {
                        for row in 0..<rows {
                            try await buy("\(customer)", in: pool, store, regrets: row % 5 == 4)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("purchases") { database in
            try database.execute(
                sql: """
                    CREATE TABLE purchase (number INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL);
                    CREATE TABLE confirmation (number INTEGER NOT NULL, customer TEXT NOT NULL);
                    """
            )
        }
        try migrator.migrate(pool)
        return pool
    }

    private static func buy(
        _ customer: String,
        in pool: DatabasePool,
        _ store: SQLiteStore,
        regrets: Bool
    ) async throws {
        do {
            let number = try await pool.write { database in
                try database.execute(sql: "INSERT INTO purchase (customer) VALUES (?)", arguments: [customer])
                let number = database.lastInsertedRowID
                let source = EntityReference(kind: "customer", key: customer)
                try store.raise(Bought(number: number, customer: customer), for: source, in: database)
                CrashFaults.pass(.raised)
                if regrets { throw Regret() }
                return number
            }
            CrashSubject.say("bought \(number)")
        } catch is Regret {}
    }
}

extension FaultPoint {
    /// An event is in a transaction of the program, which is not committed yet.
    fileprivate static let raised = FaultPoint(rawValue: "raised")
}

private struct Bought: DurableDomainEvent {
    static let eventName = "bought"
    var number: Int64
    var customer: String
}

/// Confirms each purchase in the transaction of its acknowledgement.
private struct Confirm: DurableDomainEventHandler {
    static let subscriptionName = "confirm"

    static func handle(event: Bought, resolver: any DependencyResolver) async throws {
        resolver.resolve(EntityContext.self).perform { database in
            try database.execute(
                sql: "INSERT INTO confirmation (number, customer) VALUES (?, ?)",
                arguments: [event.number, event.customer]
            )
        }
    }
}
#endif
