// SPDX-License-Identifier: Apache-2.0

import GRDB
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage

/// Transactions of a program that has its own table, and a store in the same file.
enum ProgramRows {
    /// Inserts `count` rows in a durable transaction each, and awaits each.
    ///
    /// - Parameters:
    ///   - count: The number of rows.
    ///   - raises: Whether each transaction also raises an event with one delivery.
    ///   - path: The path of a new file.
    /// - Returns: The transactions per second.
    /// - Throws: The errors of GRDB and of the store.
    static func insert(_ count: Int, raising raises: Bool, into path: String) async throws -> Double {
        let pool = try DatabasePool(path: path)
        try await pool.writeWithoutTransaction { database in
            // GRDB sets its writer to NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "CREATE TABLE purchase (number INTEGER PRIMARY KEY, customer TEXT, text TEXT)")
        }
        let store = try SQLiteStore(on: pool)
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(Ignore.self)
        let relay = Relay(store: store, registrar: registrar)
        let start = ContinuousClock.now
        for number in 0..<count {
            try await pool.write { database in
                try database.cachedStatement(sql: "INSERT INTO purchase (customer, text) VALUES (?, ?)")
                    .execute(arguments: ["\(number % 10)", Entry.text])
                if raises {
                    let customer = EntityReference(kind: "customer", key: "\(number % 10)")
                    try store.raise(EntryMade(number: number, text: Entry.text), for: customer, in: database)
                }
            }
        }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        withExtendedLifetime(relay) {}
        try store.close()
        try pool.close()
        return rate
    }
}

private struct Ignore: DurableDomainEventHandler {
    static let subscriptionName = "ignore"

    static func handle(event: EntryMade, resolver: any DependencyResolver) async throws {}
}
