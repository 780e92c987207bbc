//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Measuring

/// Measures the flux dispatcher against what one would write by hand.
@main
enum FluxBenchmark {
    static func main() {
        Benchmark([
            // Wanted are 4 and 2.5. Who is within an action is known by a task-local value, so that child tasks are too and
            // none waits for itself; to read it costs more than the call, and to set it more than the hop.
            Figure(.executeWithin, floor: .callDirectly, atMost: 13),
            Figure(.dispatch(through: 0), floor: .hopAndContinue, atMost: 7),
            Figure(.dispatch(through: 10), floor: .dispatch(through: 0), atMost: 5),
            Figure(.dispatch(through: 1), floor: .dispatch(through: 0)),
        ]).run()
    }
}
