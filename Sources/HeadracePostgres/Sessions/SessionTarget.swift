// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The database of a store, and the rules of its connections.
struct SessionTarget: Sendable {
    /// The connection string or URL of libpq.
    let url: String

    /// The schema that has the tables.
    let schema: String

    /// Seconds for each host until a connection fails.
    let connectTimeout: Int

    /// Time until a connection is cut because an answer is missing.
    let timeout: Duration

    /// Time that a statement waits for a lock.
    let lockTimeout: Duration

    /// Whether each transaction can be on another connection of the server, as behind a pooler in transaction mode.
    var isPooled = false

    /// The schema as an SQL name.
    var quotedSchema: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }

    /// The statements that prepare a connection.
    ///
    /// The procedures rely on a new snapshot for each statement, and on commits that wait for the disk. The defaults of
    /// the database can be different.
    var settings: [String] {
        if isPooled { return [] }
        return [
            "SET search_path = \(path)",
            "SET jit = off",
            "SET default_transaction_isolation = 'read committed'",
            "SET lock_timeout = \(lockTimeout.milliseconds)",
            "SET idle_in_transaction_session_timeout = 0",
            "SET statement_timeout = 0",
            """
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """,
            Self.keepalives,
        ]
    }

    /// Seconds until a peer that is gone is noticed, in settings of libpq; parameters in the URL have priority.
    static let clientKeepalives = [
        ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"),
    ]

    /// The statement that lets the server notice a client that is gone, or that reads nothing, unless the server has settings.
    ///
    /// A connection by a local socket has no such settings, and the server ignores them.
    private static let keepalives = """
        SELECT set_config(name, value, false) FROM pg_settings JOIN (
            VALUES ('tcp_keepalives_idle', '15'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
                ('tcp_user_timeout', '30000')
        ) wanted (name, value) USING (name) WHERE source = 'default'
        """
}

extension SessionTarget {
    /// The value of `search_path`.
    var path: String { "\(quotedSchema), pg_catalog" }

    /// The first arguments of a procedure, which has its own transactions: the settings of a connection that keeps none.
    var callSettings: [PostgresValue] {
        if !isPooled { return [.text(nil), .text(nil)] }
        return [.text([UInt8](path)), .text([UInt8]("\(lockTimeout.milliseconds)"))]
    }

    /// The statement before each request of a pooled connection, in its transaction.
    ///
    /// A pooled connection keeps no settings, because the next transaction belongs to another client.
    var setup: PostgresRequest.Setup? {
        if !isPooled { return nil }
        return PostgresRequest.Setup(
            sql: """
                SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
                    set_config('jit', 'off', true)
                """,
            values: [.text([UInt8](path)), .text([UInt8]("\(lockTimeout.milliseconds)"))]
        )
    }
}

extension Duration {
    /// Milliseconds, at least 1.
    var milliseconds: Int64 { Int64(max(1, self / .milliseconds(1))) }
}
#endif
