// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ComparisonTests {
    /// The number of values is set by `HEADRACE_JSON_ROUNDS`, and their seed by `HEADRACE_JSON_SEED`.
    @Test func randomValuesAndDocumentsAreCodedAsByFoundation() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["HEADRACE_JSON_ROUNDS"].flatMap(Int.init) ?? 1_500
        let seed = environment["HEADRACE_JSON_SEED"].flatMap(UInt64.init) ?? 18
        var comparison = Comparison(seed: seed)

        for round in 0..<rounds {
            let difference = try comparison.next()
            #expect(difference == nil, "round \(round)")
            if difference != nil { break }
        }

        #expect(comparison.readCount >= rounds / 2)
    }
}
