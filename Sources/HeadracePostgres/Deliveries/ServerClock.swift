// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// The server's time, as the local time and the offset that was measured last.
final class ServerClock: Sendable {
    /// A measurement whose round trip takes longer is ignored, because the server can have read its clock at any time within it.
    private static let longestRoundTrip = Duration.milliseconds(100)

    /// The offset in seconds; `nil` before the first measurement.
    private let offset = Mutex<TimeInterval?>(nil)

    /// Seconds that the server's clock is ahead of the local clock; 0 before the first measurement.
    var lead: TimeInterval { offset.withLock { $0 ?? 0 } }

    /// The time of the server.
    var now: Date { Date().addingTimeInterval(lead) }

    /// Measures the offset with one question to the server.
    func measure(on session: Session) async throws {
        let (begin, start) = (Date(), ContinuousClock.now)
        let rows = try await session.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        let roundTrip = start.duration(to: .now)
        guard let server = try rows.first?.integer(0) else { return }
        note(Date(milliseconds: server), after: begin, roundTrip: roundTrip)
    }

    /// Notes that the server has read the time `server` in the `roundTrip` that began at `begin`.
    ///
    /// The first measurement always counts, because no better one exists.
    func note(_ server: Date, after begin: Date, roundTrip: Duration) {
        let middle = begin.addingTimeInterval(roundTrip / .seconds(2))
        offset.withLock { offset in
            if offset == nil || roundTrip <= Self.longestRoundTrip { offset = server.timeIntervalSince(middle) }
        }
    }
}
#endif
