// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceStations
import HeadraceStorage

/// Counts in a shared file.
enum Sharing {
    /// Adds one to the count for each of `writes`, and prints each count that was stored.
    static func run(path: String, writes: Int, faults: Faults) async throws {
        let file = FaultyFile(file: SharedFile(URL(filePath: path)), faults: faults)
        let count = try await SharedState(in: file, default: 0) { base, mine, theirs in theirs + mine - base }
        for _ in 0..<writes {
            count.update { $0 += 1 }
            try await count.save()
            CrashSubject.say("counted \(count.value)")
        }
    }
}

/// A shared file with fault points: one while the process holds the lock, and one after the replacement.
private struct FaultyFile: SharedStorage {
    let file: SharedFile<Int>
    let faults: Faults

    func load() async throws -> Int? { try await file.load() }

    func replace(by change: @Sendable (Int?) -> Int) async throws -> Int {
        let value = try await file.replace { stored in
            faults.pass(.beforeCommit)
            return change(stored)
        }
        faults.pass(.afterCommit)
        return value
    }
}
#endif
