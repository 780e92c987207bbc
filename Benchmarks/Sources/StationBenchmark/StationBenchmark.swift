// SPDX-License-Identifier: Apache-2.0

import Measuring

/// Compares stations with equivalent code written by hand.
@main
enum StationBenchmark {
    static func main() {
        Benchmark([
            Figure(.pour, floor: .callClosure, atMost: 6),
            Figure(.pourIntoNumber, floor: .callClosure, atMost: 6),
            Figure(.pourAndSend, floor: .callClosure, atMost: 20),
            Figure(.children(1_000), floor: .children(10), atMost: 1.5),
            Figure(.middleware(10), floor: .middleware(1), atMost: 4),
            // A single scope takes few nanoseconds, so the ratio of times is mostly about its inlining. 'count.py' bounds the
            // ratio of instructions.
            Figure(.pourThroughTenScopes, floor: .pourThroughOneScope),
            // The goal is 3. An effect is a counted and cancellable task and a message, in generic code.
            Figure(.pourAndAwait, floor: .awaitTask, atMost: 12),
            Figure(.pourWithReaction, floor: .pour),
            Figure(.middleware(10), floor: .pour),
            Figure(.middleware(1), floor: .pour),
            Figure(.make, floor: .callClosure),
            Figure(.finish, floor: .callClosure),
        ]).runOnMainActor()
    }
}
