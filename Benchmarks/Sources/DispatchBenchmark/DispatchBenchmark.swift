// SPDX-License-Identifier: Apache-2.0

import Measuring

/// Compares resolution and dispatch with equivalent code written by hand.
@main
enum DispatchBenchmark {
    static func main() {
        if CommandLine.arguments.contains("--contended") {
            Contention.run(isChecked: CommandLine.arguments.contains("--check"))
        }
        Benchmark([
            // The bounds of the first version.
            // The goal is 1.5.
            Figure(.dispatchCommand(among: 1), floor: .handWrittenCommand, atMost: 2.5),
            // The goal is 1.6.
            Figure(.singletonHit, floor: .lookUp, atMost: 2),
            Figure(.newScope(among: 10), floor: .makeObject, atMost: 5),
            Figure(.newScope(among: 10_000), floor: .makeObject, atMost: 5),
            Figure(.newScope(among: 10_000), floor: .newScope(among: 10), atMost: 1.2),

            // Nine more middleware against 36 direct calls, four for each. The middleware run fewer instructions than
            // the calls, but take slightly longer.
            Figure(.dispatchCommand(through: 10), floor: .dispatchThroughOneAndCall36, atMost: 1.15),

            // Reported without a bound.
            Figure(.dispatchCommand(through: 1), floor: .dispatchCommand(among: 1)),
            Figure(.dispatchInItsOwnScope, floor: .dispatchCommand(among: 1)),
            Figure(.dispatchQuery, floor: .handWrittenQuery),
            Figure(.dispatchCommandWithResult, floor: .handWrittenQuery),
            Figure(.dispatchThroughCircuitBreaker, floor: .dispatchCommand(through: 1)),
            Figure(.dispatchThroughBulkhead, floor: .dispatchCommand(through: 1)),
            Figure(.dispatchCommand(among: 1_000), floor: .dispatchCommand(among: 10)),
            Figure(.singletonHitInAScope, floor: .lookUp),
            Figure(.scopedHit, floor: .lookUp),
            Figure(.namedHit, floor: .singletonHit),
            Figure(.weakHit, floor: .singletonHit),
            Figure(.timeLimitedHit, floor: .singletonHit),
            Figure(.makeWithFactory, floor: .makeObject),
            Figure(.transientWithScope, floor: .makeObjectAndLookUp),
            Figure(.graphOfThree, floor: .makeThreeAndLookUpThree),
            Figure(.firstScopedObject, floor: .makeObject),
            Figure(.buildContainer, floor: .makeObject),
        ]).run()
    }
}
