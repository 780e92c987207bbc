// SPDX-License-Identifier: Apache-2.0

import Measuring

/// Compares service trees with equivalent code written by hand.
@main
enum ServicesBenchmark {
    static func main() {
        if CommandLine.arguments.contains("--concurrent") {
            runToExit(servesMainActor: true) {
                try await Siblings.measure(isChecked: CommandLine.arguments.contains("--check"))
            }
        }
        Benchmark(
            [
                // The goal is 8.
                Figure(.sendToOne, floor: .callDirectly, atMost: 18),
                Figure(.sendToOneOfThousand, floor: .sendToOne, atMost: 2),
                // The goal is 10.
                Figure(.sendToTenInOrder, floor: .sendToOne, atMost: 12),
                Figure(.sendToValue, floor: .callDirectly),
                Figure(.bootstrap(among: 5_000), floor: .bootstrap(among: 50)),
            ],
            servesMainActor: true
        ).run()
    }
}
