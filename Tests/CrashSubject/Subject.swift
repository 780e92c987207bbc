// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
#if Postgres
import HeadracePostgres
#endif

/// A store with fault points.
struct Subject: Sendable {
    let store: any DeliveryStore

    /// Opens a file, or a PostgreSQL database if `path` is its URL.
    init(path: String, entities: [any StoredEntity.Type]) async throws {
        #if Postgres
        if path.hasPrefix("postgresql://") {
            var configuration = PostgresStore.Configuration()
            configuration.faults = CrashFaults.store
            store = try await PostgresStore(url: path, entities: entities, configuration: configuration)
            return
        }
        #endif
        var configuration = SQLiteStore.Configuration()
        configuration.faults = CrashFaults.store
        store = try SQLiteStore(path: path, entities: entities, configuration: configuration)
    }
}
#endif
