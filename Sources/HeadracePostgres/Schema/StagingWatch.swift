// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The watch of relays over staged messages, which spares clients their notifications.
///
/// All transactions of a server that notify commit one after the other, each with its wait for the disk. So if many transactions
/// stage messages, the relays look for them every few milliseconds, and no client notifies while they do. The sequence
/// `staged_watch` has the end of the watch, which all sessions see at once: milliseconds since 1970 by the server's clock, or 0.
///
/// A client takes a shared lock before it reads the end, and keeps it until its transaction ends. A relay ends a watch by the number
/// 0, and then tries the exclusive lock: if it gets the lock, all clients from then on read the 0 and notify, and no transaction
/// is open that didn't. Otherwise the relay watches on. If all relays are killed, the watch ends by its time.
enum StagingWatch {
    /// Number of rows in a lease that begin a watch, or extend it.
    private static let rows = 8

    /// Milliseconds of a watch after the last such lease.
    private static let duration = 200

    /// Milliseconds between two leases of a watching relay.
    private static let interval = 5

    /// The end of the watch.
    static let end = "(SELECT last_value FROM staged_watch)"

    /// The milliseconds since 1970 of a time.
    static func milliseconds(_ time: String) -> String { "floor(extract(epoch FROM \(time)) * 1000)::bigint" }

    private static func key(_ schema: String) -> String { "hashtextextended('headrace staged ' || \(schema), 0)" }

    /// Takes the lock of a client of the store in `schema`.
    ///
    /// A relay has the exclusive lock only for an instant.
    static func enter(_ schema: String) -> String {
        let literal = "'\(schema.replacing("'", with: "''"))'"
        return "v_nothing := pg_advisory_xact_lock_shared(\(key(literal)));"
    }

    /// Begins or extends the watch if a lease has moved many rows.
    static func begin(ifRows count: String) -> String {
        """
        IF \(count) >= \(rows) THEN
            PERFORM setval('staged_watch', \(milliseconds("clock_timestamp()")) + \(duration));
        END IF;
        """
    }

    /// Ends the watch if its time is over and each client that didn't notify has ended its transaction.
    ///
    /// It comes before the look for staged messages, so that the look finds the messages of those clients.
    static let endIfOver = """
        IF \(end) BETWEEN 1 AND \(milliseconds("clock_timestamp()")) THEN
            PERFORM setval('staged_watch', 0);
            IF NOT (
                CASE WHEN pg_try_advisory_lock(\(key("current_schema()"))) THEN pg_advisory_unlock(\(key("current_schema()")))
                ELSE false END
            ) THEN
                PERFORM setval('staged_watch', \(milliseconds("clock_timestamp()")) + \(duration) / 4);
            END IF;
        END IF;
        """

    /// The time of the next lease of a watching relay at the time `now`; NULL without a watch.
    static func next(_ now: String) -> String { "CASE WHEN \(end) > 0 THEN \(now) + \(interval) END" }
}
#endif
