// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceDomain
import HeadraceProcesses
import HeadraceStorage
#if Postgres
import HeadracePostgres
#endif
#if SQLite
import HeadraceSQLite
#endif

/// The entities that a command reads.
enum StoreEntities {
    case none, schedules

    var types: [any StoredEntity.Type] {
        switch self {
        case .none: []
        case .schedules: [StoredSchedule.self]
        }
    }
}

/// An open store, whatever its kind.
struct OpenStore {
    let store: any DeliveryStore

    /// Returns the damage that the store finds in its file; `nil` if the store can't look for damage.
    let findDamage: (() async throws -> [String])?

    /// Opens the SQLite file `location`, or the PostgreSQL database with that URL.
    ///
    /// It creates no file.
    ///
    /// - Throws: ``ToolFailure``; ``HeadraceStorage/StoreError``.
    init(_ location: String, schema: String?, entities: StoreEntities) async throws {
        if ["postgres://", "postgresql://"].contains(where: location.hasPrefix) {
            try await self.init(url: location, schema: schema, entities: entities)
        } else {
            try self.init(file: location, entities: entities)
        }
    }

    #if SQLite
    private init(file path: String, entities: StoreEntities) throws {
        // Opening would create the file.
        if !FileManager.default.fileExists(atPath: path) { throw ToolFailure.noFile(path) }
        let store = try SQLiteStore(path: path, entities: entities.types)
        self.init(store: store, findDamage: { try await store.findDamage() })
    }
    #else
    private init(file path: String, entities: StoreEntities) throws { throw ToolFailure.without("SQLite") }
    #endif

    #if Postgres
    private init(url: String, schema: String?, entities: StoreEntities) async throws {
        var configuration = PostgresStore.Configuration()
        if let schema { configuration.schema = schema }
        let store = try await PostgresStore(url: url, entities: entities.types, configuration: configuration)
        self.init(store: store, findDamage: nil)
    }
    #else
    private init(url: String, schema: String?, entities: StoreEntities) async throws {
        throw ToolFailure.without("Postgres")
    }
    #endif

    private init(store: any DeliveryStore, findDamage: (() async throws -> [String])?) {
        self.store = store
        self.findDamage = findDamage
    }
}
#endif
