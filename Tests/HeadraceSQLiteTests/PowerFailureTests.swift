// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceSQLite
import Synchronization
import Testing

/// Lets the power fail under a store at random, and compares the remaining content with the promises.
///
/// The environment variable `HEADRACE_POWER_ROUNDS` sets the number of rounds, 1,000 by default. `HEADRACE_POWER_SEED`
/// repeats one round. Its tasks may interleave differently, so repeat the round more than once.
@Suite(.timeLimit(.minutes(60))) struct PowerFailureTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var seeds: [UInt64] {
        let rounds = environment["HEADRACE_POWER_ROUNDS"].flatMap { UInt64($0) } ?? 1_000
        if let seed = environment["HEADRACE_POWER_SEED"].flatMap({ UInt64($0) }) {
            return Array(repeating: seed, count: Int(min(rounds, 100)))
        }
        return Array(0..<rounds)
    }

    @Test func aPowerFailureTakesNoDurableChangeAndOnlyTheLastRelaxedChanges() async throws {
        let rounds = Rounds(Self.seeds)
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    while let seed = rounds.next() {
                        let violations = await PowerRound.run(seed: seed)
                        if violations.isEmpty { continue }
                        rounds.stop()
                        Issue.record("HEADRACE_POWER_SEED=\(seed): \(violations.joined(separator: "\n"))")
                    }
                }
            }
        }
    }
}

/// The seeds of the rounds, up to the first violation.
private final class Rounds: Sendable {
    private let seeds: Mutex<ArraySlice<UInt64>>

    init(_ seeds: [UInt64]) { self.seeds = Mutex(seeds[...]) }

    func next() -> UInt64? { seeds.withLock { $0.popFirst() } }

    func stop() { seeds.withLock { $0 = [] } }
}
#endif
