// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import HeadraceSQLite
import Testing

/// Kills and stops processes of the operating system that run workflows, and checks that each step has taken effect once.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkflowCrashTests {
    /// The fault points, with the minimum number of passes before all workflows have ended.
    private static let points = [("after-lease", 3), ("before-commit", 30), ("after-commit", 30)]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachStepTakesEffectOnceAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            CrashSubject.checkWorkflows(
                in: try await CrashSubject.linesAcrossKills(of: "work", on: path, at: point, round: round))
        }
    }

    @Test(arguments: ["after-lease", "after-commit"], 0..<CrashSubject.rounds)
    func aProgramThatIsStoppedPastItsLeasesRepeatsNothing(point: String, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossStop(of: "work", on: path, at: point, round: round)
            // The process that was stopped runs all workflows to their end.
            CrashSubject.checkWorkflows(in: lines.before.filter { !$0.hasPrefix("finished") } + lines.resumed)
        }
    }
}
#endif
