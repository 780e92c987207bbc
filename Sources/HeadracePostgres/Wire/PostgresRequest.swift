// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// A statement for a connection.
struct PostgresRequest: Sendable {
    /// A statement before the statement of a request, in the same transaction; its rows are ignored.
    struct Setup: Sendable {
        let sql: String
        let values: [PostgresValue]
    }

    let setup: Setup?
    let sql: String
    let values: [PostgresValue]

    /// Whether the connection prepares the statement once and uses it again.
    let isPrepared: Bool

    /// Time after which the connection is cut if the answer is missing, or `nil` for no limit.
    let timeout: Duration?

    /// Is called once, on the polling thread, and must not block.
    let completion: @Sendable (Result<PostgresRows, PostgresFailure>) -> Void
}
#endif
