// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// The stores that have a schema open, in all processes.
///
/// Each store has a shared advisory lock on its connection for notifications. So the server forgets a store as soon as its
/// process has ended, and knows no store behind a pooler.
struct OpenStores {
    private static let key = "hashtextextended('headrace store ' || $1, 0)"

    let schema: String
    let session: Session

    private var name: PostgresValue { .text([UInt8](schema)) }

    /// Registers a store until ``unregister()`` or until the connection ends.
    func register() async throws {
        _ = try await session.run("SELECT pg_advisory_lock_shared(\(Self.key))", [name])
    }

    func unregister() async throws {
        _ = try await session.run("SELECT pg_advisory_unlock_shared(\(Self.key))", [name])
    }

    /// Keeps other stores from registering until the open transaction ends, if none is registered.
    ///
    /// - Returns: Descriptions of the processes that are registered; empty if none is.
    func exclude() async throws -> [String] {
        while true {
            // A lock that waits would stop stores that connect again.
            let row = try await session.run("SELECT pg_try_advisory_xact_lock(\(Self.key))", [name]).first
            if try row?.flag(0) == true { return [] }
            let processes = try await processes()
            // The process may have ended between both statements.
            if !processes.isEmpty { return processes }
        }
    }

    private func processes() async throws -> [String] {
        let rows = try await session.run(
            """
            SELECT coalesce(nullif(application_name, ''), 'a process') || coalesce(' at ' || host(client_addr), '')
                || coalesce(to_char(backend_start AT TIME ZONE 'UTC', '" (since "YYYY-MM-DD HH24:MI:SS" UTC)"'), '')
            FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND objsubid = 1
                AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND (classid::bigint << 32) | objid::bigint = \(Self.key)
            ORDER BY backend_start, pid
            """,
            [name]
        )
        return try rows.rows.map { try $0.text(0) }
    }
}
#endif
