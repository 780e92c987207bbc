// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Headrace
import Testing

/// The examples of the article about several processes.
///
/// They need a server, which `Scripts/postgres` starts.
@Suite struct ScalingOutExamples {
    final class Note: StoredEntity {
        static let entityName = "note"
        static let indexes: [EntityIndex<Note>] = []

        let id: String
        var raisedEvents = RaisedEvents()

        init(id: String) {
            self.id = id
        }
    }

    func openServers() async throws -> PostgresStore {
        let store = try await PostgresStore(
            url: "postgres://books@db1.internal,db2.internal/books?target_session_attrs=read-write",
            entities: [Note.self]
        )
        return store
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"] != nil, "It needs a server."))
    func copyAFile() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"])
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path(
            percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = PostgresStore.Configuration()
        configuration.schema = "copy \(UUID())"

        let file = try SQLiteStore(path: path, entities: [Note.self])
        let summary = try await PostgresStore.copy(
            try await file.contents(), to: url, entities: [Note.self], configuration: configuration)
        try file.close()

        #expect(summary.entityCount == 0)
    }
}
#endif
