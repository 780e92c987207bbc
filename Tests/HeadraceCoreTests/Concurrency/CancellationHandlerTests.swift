// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellationHandlerTests {
    /// Receives the parts of a task that leave the main actor.
    private let elsewhere = TestExecutor(seed: nil)

    @MainActor
    private static func jobs(
        of elsewhere: TestExecutor,
        during operation: nonisolated(nonsending) @Sendable () async throws -> Void
    ) async throws -> Int {
        let before = elsewhere.jobCount
        try await operation()
        return elsewhere.jobCount - before
    }

    @Test func itStaysOnTheActorOfItsCaller() async throws {
        let elsewhere = elsewhere
        let task = Task(executorPreference: elsewhere) {
            try await Self.jobs(of: elsewhere) { await withCancellationHandler({}, onCancel: {}) }
        }

        #expect(try await task.value == 0)
    }

    @Test func aPermitIsTakenWithoutLeavingTheActorOfItsCaller() async throws {
        let elsewhere = elsewhere
        let permits = Permits(1)
        let task = Task(executorPreference: elsewhere) {
            try await Self.jobs(of: elsewhere) { try await permits.withPermit {} }
        }

        #expect(try await task.value == 0)
    }

    @Test func itCallsTheHandlerOfACancelledTask() async {
        let gate = Gate()
        let task = Task {
            await withCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
        }
        task.cancel()

        await task.value
    }
}
