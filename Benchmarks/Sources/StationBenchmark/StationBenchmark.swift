//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Measuring

/// Measures stations against what one would write by hand.
@main
enum StationBenchmark {
    static func main() {
        Benchmark([
            Figure(.pour, floor: .callClosure, atMost: 6),
            Figure(.pourAndSend, floor: .callClosure, atMost: 20),
            Figure(.pourThroughTenScopes, floor: .pourThroughOneScope, atMost: 10),
            Figure(.children(1_000), floor: .children(10), atMost: 1.5),
            Figure(.middleware(10), floor: .middleware(1), atMost: 4),
            Figure(.middleware(10), floor: .pour, atMost: 4),
            Figure(.pourIntoNumber, floor: .callClosure, atMost: 6),
            Figure(.make, floor: .callClosure),
            Figure(.pourAndAwait, floor: .awaitTask, atMost: 3),
        ]).runOnMainActor()
    }
}
