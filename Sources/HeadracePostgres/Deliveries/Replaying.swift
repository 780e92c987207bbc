// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// Replays events in parts.
struct Replaying: Sendable {
    /// The state of a replay.
    struct Progress: Equatable {
        /// Number of events that are delivered again.
        let count: Int

        let isComplete: Bool
    }

    let session: Session

    /// Begins a replay, and returns its state after the first part; `nil` if an earlier replay isn't complete.
    func begin(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws -> Progress?
    {
        try await run(
            "SELECT * FROM begin_replay($1, $2, $3, $4)",
            [
                .bytes([UInt8](subscription)), .text([UInt8](ReplayNames.text(of: names).utf8)), .integer(position),
                .integer(Int64(ReplayNames.partSize)),
            ])
    }

    /// Replays the next part.
    ///
    /// - Parameters:
    ///   - subscription: The name of the subscription.
    ///   - waits: Whether to wait for a process that advances a replay now.
    /// - Returns: The state after the part; `nil` if another process advances a replay and `waits` is `false`.
    /// - Throws: ``PostgresFailure``.
    func advance(_ subscription: String, waits: Bool) async throws -> Progress? {
        try await run(
            "SELECT * FROM advance_replay($1, $2, $3)",
            [.bytes([UInt8](subscription)), .integer(Int64(ReplayNames.partSize)), .flag(waits)])
    }

    private func run(_ sql: String, _ values: [PostgresValue]) async throws -> Progress? {
        guard let row = try await session.run(sql, values).first, let count = row.optionalInteger(0) else { return nil }
        return Progress(count: Int(count), isComplete: try row.flag(1))
    }
}
#endif
