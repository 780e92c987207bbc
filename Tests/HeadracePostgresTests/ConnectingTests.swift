// SPDX-License-Identifier: Apache-2.0

#if Postgres
@testable import HeadracePostgres
import HeadraceStorage
import Testing

@Suite struct ConnectingTests {
    /// Messages of PostgreSQL 15 and pgbouncer 1.18.
    @Test(arguments: [
        "the database system is starting up", "the database system is not yet accepting connections",
        "the database system is not accepting connections", "the database system is shutting down",
        "the database system is in recovery mode", "sorry, too many clients already",
        "remaining connection slots are reserved for non-replication superuser connections",
        "terminating connection because of crash of another server process", "canceling authentication due to timeout",
        "pgbouncer cannot connect to server", "query_wait_timeout",
        "server login has been failing (server_login_retry)",
    ])
    func aServerThatRefusesForAWhileIsUnreachable(message: String) {
        #expect(code(of: message) == .unreachable)
    }

    @Test(arguments: [
        #"password authentication failed for user "a""#, #"database "a" does not exist"#, #"role "a" does not exist"#,
        #"no pg_hba.conf entry for host "[local]", user "a", database "a", no encryption"#,
    ])
    func aServerThatAlwaysRefusesIsUnusable(message: String) {
        #expect(code(of: message) == .unusable)
    }

    private func code(of message: String) -> StoreError.Code {
        let failure = LibPQ.failure(ofConnecting: "connection to server at \"db\" failed: FATAL:  \(message)\n")
        return PostgresErrorMapper(schema: "headrace").storeError(failure).code
    }
}
#endif
