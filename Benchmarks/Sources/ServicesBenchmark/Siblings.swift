// SPDX-License-Identifier: Apache-2.0

import HeadraceServices
import Measuring
import ServicesSubjects

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Compares ten concurrent siblings with ten tasks of a group that do the same work, by wall time.
enum Siblings {
    /// The goal is 1.3.
    private static let bound = 1.8

    static func measure(isChecked: Bool, rounds: Int = 51, iterations: Int = 2_000) async throws -> Int32 {
        let cluster = try await Bootstrap {
            for _ in 0..<10 { TallyService(Tally()) }
        }
        let tallies = (0..<10).map { _ in Tally() }
        let clock = ContinuousClock()
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let floor = try await clock.measure {
                for number in 0..<iterations { try await runInGroup(tallies, number) }
            }
            let subject = try await clock.measure {
                for number in 0..<iterations { try await cluster.send(action: Count(number)) }
            }
            ratios.append(subject / floor)
        }
        let ratio = ratios.sorted()[rounds / 2]
        print("ten concurrent siblings against ten tasks of a group: \(ratio) (at most \(bound))")
        return isChecked && ratio > bound ? EXIT_FAILURE : EXIT_SUCCESS
    }

    private static func runInGroup(_ tallies: [Tally], _ number: Int) async throws {
        try await withThrowingTaskGroup { group in
            for tally in tallies {
                group.addTask { try await tally.take(number) }
            }
            try await group.waitForAll()
        }
    }
}
