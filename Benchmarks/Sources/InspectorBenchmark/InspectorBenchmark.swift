// SPDX-License-Identifier: Apache-2.0

import Measuring

/// Measures the cost of an inspector, with and without an open page.
@main
enum InspectorBenchmark {
    static func main() {
        Benchmark([
            // Without an open page, an inspector is an observer that does not listen.
            Figure(.observedByIdleInspector, floor: .observedByNobodyWhoListens, atMost: 1.1),

            // With middleware, a context is created in any case, so the observer adds no other cost.
            Figure(.observedByIdleInspectorBehindMiddleware, floor: .throughMiddleware, atMost: 1.1),

            // Without an open page, a busy program pays for the check of the limit, because few of its messages are recorded.
            Figure(.keptByInspectorBehindMiddleware, floor: .throughMiddleware, atMost: 1.1),

            // Reported without a bound.
            Figure(.recordedByInspectorBehindMiddleware, floor: .throughMiddleware),
            Figure(.observedByNobodyWhoListens, floor: .unobserved),
            Figure(.observedByIdleInspector, floor: .unobserved),
            Figure(.observedByOneWhoListens, floor: .unobserved),
            Figure(.observedByWatchedInspector, floor: .observedByOneWhoListens),
        ]).run()
    }
}
