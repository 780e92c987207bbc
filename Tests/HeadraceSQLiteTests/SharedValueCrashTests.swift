// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import Testing

/// Kills processes that count in a shared file while another process counts in it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SharedValueCrashTests {
    /// The fault points: while the process holds the lock, and after the file was replaced.
    private static let points = [("before-commit", 10), ("after-commit", 10)]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func aSharedFileHasEachAcknowledgedChangeAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "count.json")
            let other = try CrashSubject("share", path, "30", "none", "1", "\(SIGKILL)")

            var lines = try await CrashSubject.linesAcrossKills(of: "share", on: path, at: point, round: round)
            lines += try await other.linesToEnd()

            let counts = lines.compactMap { $0.hasPrefix("counted ") ? Int($0.dropFirst(8)) : nil }
            let stored = try #require(Int(String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)))
            #expect(Set(counts).count == counts.count, "a change was overwritten")
            #expect(try stored >= #require(counts.max()))
            // Of the two killed processes, each has stored at most one change that it didn't acknowledge.
            let unacknowledged = stored - counts.count
            #expect(unacknowledged == (point.name == "after-commit" ? 2 : 0))
        }
    }
}
#endif
