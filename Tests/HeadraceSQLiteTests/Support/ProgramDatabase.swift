// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceTesting
import Synchronization

/// The connections of a program with a table `purchase`, to which a store is added.
enum ProgramDatabase: String, CaseIterable, Sendable {
    case pool, queue

    /// Opens the file, as durable as a store requires.
    func open(_ path: String) throws -> any DatabaseWriter {
        let writer = try connections(path)
        try writer.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("purchases") { database in
            try database.execute(
                sql: """
                    CREATE TABLE purchase (number INTEGER PRIMARY KEY, customer TEXT);
                    CREATE TABLE confirmation (number INTEGER);
                    """
            )
        }
        try migrator.migrate(writer)
        return writer
    }

    private func connections(_ path: String) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return switch self {
        case .pool: try DatabasePool(path: path, configuration: configuration)
        case .queue: try DatabaseQueue(path: path, configuration: configuration)
        }
    }
}

struct Purchased: DurableDomainEvent {
    static let eventName = "purchased"
    var number: Int
}

/// Notes the purchases that it handles in a table of the program, in the transaction of its acknowledgement.
struct ConfirmPurchase: DurableDomainEventHandler {
    static let subscriptionName = "confirm"

    static func handle(event: Purchased, resolver: any DependencyResolver) async throws {
        resolver.resolve(EntityContext.self).perform { database in
            try database.execute(sql: "INSERT INTO confirmation (number) VALUES (?)", arguments: [event.number])
        }
    }
}

extension Relay {
    /// Creates a relay with ``ConfirmPurchase``.
    static func confirming(_ store: SQLiteStore) -> Relay {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(ConfirmPurchase.self)
        return Relay(store: store, registrar: registrar)
    }
}

extension DatabaseReader {
    /// The numbers of the purchases, in their order.
    func purchases() throws -> [Int] {
        try read { try Int.fetchAll($0, sql: "SELECT number FROM purchase ORDER BY number") }
    }

    /// The numbers of the confirmed purchases, in the order of their handling.
    func confirmations() throws -> [Int] {
        try read { try Int.fetchAll($0, sql: "SELECT number FROM confirmation ORDER BY rowid") }
    }
}

extension Database {
    /// Inserts a purchase.
    func buy(_ number: Int) throws {
        try execute(sql: "INSERT INTO purchase (number, customer) VALUES (?, 'Ada')", arguments: [number])
    }
}

/// The program has changed its mind.
struct Regret: Error {}
#endif
