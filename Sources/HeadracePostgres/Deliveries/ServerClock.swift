//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// The server's time, as the local time and the offset that was measured last.
final class ServerClock: Sendable {
    private let offset = Mutex<TimeInterval>(0)

    /// The time of the server.
    var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    /// Measures the offset with one question to the server.
    func measure(on session: Session) async throws {
        let before = Date()
        let rows = try await session.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        let after = Date()
        guard let server = try rows.first?.integer(0) else { return }
        // The server has read its clock between the two times.
        let middle = before.addingTimeInterval(after.timeIntervalSince(before) / 2)
        offset.withLock { $0 = Date(milliseconds: server).timeIntervalSince(middle) }
    }
}
#endif
