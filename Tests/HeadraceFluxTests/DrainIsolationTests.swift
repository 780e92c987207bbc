// SPDX-License-Identifier: Apache-2.0

import HeadraceFlux
import HeadraceTesting
import Testing

/// Waiting on the main actor doesn't leave it.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DrainIsolationTests {
    private let ledger = Ledger()

    /// Receives the parts of a task that leave the main actor.
    private let elsewhere = TestExecutor(seed: nil)

    /// Starts a task on the other executor, which drains on the main actor.
    ///
    /// - Returns: The number of jobs that the other executor received meanwhile.
    private func jobsElsewhereWhileDraining() -> Task<Int, any Error> {
        let (ledger, elsewhere) = (ledger, elsewhere)
        return Task(executorPreference: elsewhere) { try await Self.drain(ledger, countingJobsOf: elsewhere) }
    }

    private static func drain(_ ledger: Ledger, countingJobsOf elsewhere: TestExecutor) async throws -> Int {
        let before = elsewhere.jobCount
        try await ledger.drain()
        return elsewhere.jobCount - before
    }

    @Test func drainStaysOnTheMainActorIfNoActionIsLeft() async throws {
        #expect(try await jobsElsewhereWhileDraining().value == 0)
    }

    @Test func drainStaysOnTheMainActorUntilItIsResumed() async throws {
        ledger.deactivate()
        ledger.queue(Note("one"))
        let waiting = jobsElsewhereWhileDraining()
        await elsewhere.idle()
        // The main actor runs its tasks in order, so the task waits when the dispatcher is activated. Swift resumes
        // any continuation on the other executor: one job. A second job would be a change of the thread before the wait.
        let ledger = ledger
        await Task { @MainActor in ledger.activate() }.value

        #expect(try await waiting.value <= 1)
        #expect(ledger.entries == ["one"])
    }
}
