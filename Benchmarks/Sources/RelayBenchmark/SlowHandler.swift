// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Memory growth of a relay if its handler is slower than the commits.
struct SlowHandler: CustomStringConvertible {
    /// Growth in megabytes, from before the first commit to the end.
    let growth: Double

    init(in folder: URL) async throws {
        let workload = try Workload(in: folder, handling: .milliseconds(20))
        // One-time allocations of the first commits and deliveries are not counted as growth.
        _ = try await workload.deliver(500)
        let before = try Self.residentMegabytes()
        var peak = before
        let relaying = Task { try await workload.withRelay(until: 1_000) { try await workload.commit(50_000) } }
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(200))
            peak = max(peak, try Self.residentMegabytes())
        }
        _ = try await relaying.value
        growth = max(peak, try Self.residentMegabytes()) - before
    }

    var description: String {
        String(format: "slow handler, 50,000 events behind: %.1f MB more", growth)
    }

    private static func residentMegabytes() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * 4_096 / 1_000_000
    }
}
