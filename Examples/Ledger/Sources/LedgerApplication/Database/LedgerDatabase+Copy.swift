// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace
import HeadraceStorage

extension LedgerDatabase {
    /// Copies the ledger in the SQLite file `path` into this database, which must not have the schema yet.
    ///
    /// The copy has everything, with the same positions in the event log. The file doesn't change.
    ///
    /// - Returns: Numbers of the copied rows.
    /// - Throws: ``UnfinishedImport``; `StoreError`, for example with the code `locked` if a program changes the file
    ///   meanwhile, and with the code `unusable` if the schema exists, or if this isn't a PostgreSQL database. Then
    ///   nothing was copied.
    public func copy(from path: String) async throws -> StoreCopySummary {
        guard case .server(let url, let schema) = self else {
            throw StoreError(
                code: .unusable,
                message: "A ledger can only be copied into a PostgreSQL database. To fix, name one: postgres://…"
            )
        }
        let store = try SQLiteStore(path: path, entities: LedgerComposition.entities)
        do {
            let open = try await EntityContext(store).fetch(ImportJob.self, where: [.equals(.isOpen, 1)])
            if let job = open.first { throw UnfinishedImport(name: job.name, path: path) }
            let summary = try await Self.copy(try await store.contents(), to: url, schema: schema)
            try store.close()
            return summary
        } catch {
            try? store.close()
            throw error
        }
    }

    #if Postgres
    private static func copy(_ contents: StoreContents, to url: String, schema: String?) async throws
        -> StoreCopySummary
    {
        try await PostgresStore.copy(
            contents,
            to: url,
            entities: LedgerComposition.entities,
            configuration: configuration(schema: schema)
        )
    }
    #else
    private static func copy(_ contents: StoreContents, to url: String, schema: String?) async throws
        -> StoreCopySummary
    {
        throw withoutPostgres
    }
    #endif
}
