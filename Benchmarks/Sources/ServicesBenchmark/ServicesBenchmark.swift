//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Measuring

/// Measures trees of services against what one would write by hand.
@main
enum ServicesBenchmark {
    static func main() {
        Benchmark([
            Figure(.sendToOne, floor: .callDirectly, atMost: 8),
            Figure(.sendToOneOfThousand, floor: .sendToOne, atMost: 2),
            Figure(.sendToTenInOrder, floor: .sendToOne, atMost: 10),
            Figure(.sendToTenAtOnce, floor: .groupOfTasks, atMost: 1.3),
            Figure(.sendToValue, floor: .callDirectly),
        ]).run()
    }
}
