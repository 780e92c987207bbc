// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Testing

/// Waiting on the main actor doesn't leave it.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FinishIsolationTests {
    private let station = Station(initialState: Log.State()) { Log() }

    /// Receives the parts of a task that leave the main actor.
    private let elsewhere = TestExecutor(seed: nil)

    /// Starts a task on the other executor, which finishes on the main actor.
    ///
    /// - Returns: The number of jobs that the other executor received meanwhile.
    private func jobsElsewhere(whileFinishing poured: PourTask) -> Task<Int, any Error> {
        let elsewhere = elsewhere
        return Task(executorPreference: elsewhere) { try await Self.finish(poured, countingJobsOf: elsewhere) }
    }

    private static func finish(_ poured: PourTask, countingJobsOf elsewhere: TestExecutor) async throws -> Int {
        let before = elsewhere.jobCount
        try await poured.finish()
        return elsewhere.jobCount - before
    }

    @Test func finishStaysOnTheMainActorIfAllEffectsHaveEnded() async throws {
        let poured = station.pour(.start("load", .run { pour in pour(.note("one")) }))
        try await poured.finish()

        #expect(try await jobsElsewhere(whileFinishing: poured).value == 0)
    }

    @Test func finishStaysOnTheMainActorUntilItIsResumed() async throws {
        let gate = Gate()
        let poured = station.pour(.start("load", .run { _ in await gate.pass() }))
        let waiting = jobsElsewhere(whileFinishing: poured)
        await elsewhere.idle()
        // The main actor runs its tasks in order, so the task waits when the gate opens. Swift resumes
        // any continuation on the other executor: one job. A second job would be a change of the thread before the wait.
        await Task { @MainActor in gate.open() }.value

        #expect(try await waiting.value <= 1)
    }
}
