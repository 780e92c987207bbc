//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Measuring

/// Measures what an inspector costs that nobody looks at, and one that somebody does.
@main
enum InspectorBenchmark {
    static func main() {
        Benchmark([
            // An inspector that nobody looks at is an observer that does not listen, and no more.
            Figure(.observedByIdleInspector, floor: .observedByNobodyWhoListens, atMost: 1.1),

            // Where middleware has a context made anyway, that is all that it costs.
            Figure(.observedByIdleInspectorBehindMiddleware, floor: .throughMiddleware, atMost: 1.1),

            // Reported.
            Figure(.observedByNobodyWhoListens, floor: .unobserved),
            Figure(.observedByIdleInspector, floor: .unobserved),
            Figure(.observedByOneWhoListens, floor: .unobserved),
            Figure(.observedByWatchedInspector, floor: .observedByOneWhoListens),
        ]).run()
    }
}
