// SPDX-License-Identifier: Apache-2.0

import Measuring

/// Compares the flux dispatcher with equivalent code written by hand.
@main
enum FluxBenchmark {
    static func main() {
        Benchmark([
            Figure(.executeWithin, floor: .callDirectly, atMost: 4),
            Figure(.dispatch(through: 0), floor: .hopAndContinue, atMost: 2.5),
            Figure(.dispatch(through: 10), floor: .dispatch(through: 0), atMost: 5),
            Figure(.dispatch(through: 1), floor: .dispatch(through: 0)),
            Figure(.dispatch(throughSynchronous: 10), floor: .dispatch(through: 0)),
            Figure(.queue, floor: .hopAndContinue),
            Figure(.drain, floor: .callDirectly),
        ]).run()
    }
}
