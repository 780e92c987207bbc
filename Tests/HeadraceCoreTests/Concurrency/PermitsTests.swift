// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PermitsTests {
    private let executor = TestExecutor(seed: nil)
    private let gates = (0..<4).map { _ in Gate() }
    private let journal = Journal()

    /// Holds a permit until the gate `number` is open.
    private func hold(_ permits: Permits, _ number: Int) -> Task<Void, any Error> {
        let (gate, journal) = (gates[number], journal)
        return Task(executorPreference: executor) {
            try await permits.withPermit {
                journal.note("\(number)")
                await gate.pass()
            }
        }
    }

    @Test func noMoreOperationsRunThanThereArePermits() async throws {
        let permits = Permits(2)
        let tasks = (0..<4).map { hold(permits, $0) }
        await executor.idle()
        #expect(journal.entries == ["0", "1"])
        #expect(permits.availableCount == 0)

        gates[1].open()
        await executor.idle()
        #expect(journal.entries == ["0", "1", "2"])

        for gate in gates { gate.open() }
        for task in tasks { try await task.value }
        #expect(journal.entries == ["0", "1", "2", "3"])
        #expect(permits.availableCount == 2)
    }

    @Test func aCancelledWaiterThrowsAndTakesNoPermit() async throws {
        let permits = Permits(1)
        let tasks = (0..<3).map { hold(permits, $0) }
        await executor.idle()

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }

        for gate in gates { gate.open() }
        for number in [0, 2] { try await tasks[number].value }
        #expect(journal.entries == ["0", "2"])
        #expect(permits.availableCount == 1)
    }

    @Test func anAttemptWithoutWaitingFailsIfNoPermitIsFree() {
        let permits = Permits(1)
        var first = permits.tryAcquire()
        #expect(first != nil)
        #expect(permits.tryAcquire() == nil)

        first = nil
        #expect(permits.tryAcquire() != nil)
        #expect(Permits(0).tryAcquire() == nil)
    }

    @Test func aPermitIsReleasedWithItsObject() async throws {
        let permits = Permits(1)
        var permit: Permit? = try await permits.acquire()
        let other = hold(permits, 0)
        await executor.idle()
        #expect(permit != nil)
        #expect(journal.entries == [])

        permit = nil
        await executor.idle()
        #expect(journal.entries == ["0"])
        gates[0].open()
        try await other.value
    }

    @Test func anOperationThatThrowsReleasesItsPermit() async throws {
        let permits = Permits(1)

        await #expect(throws: Failure()) { try await permits.withPermit { throw Failure() } }

        #expect(permits.availableCount == 1)
    }

    @MainActor @Test func theOperationStaysOnTheActorOfTheCaller() async throws {
        let answer = Answer("one")

        try await Permits(1).withPermit {
            MainActor.assertIsolated()
            answer.text += " two"
        }

        #expect(answer.text == "one two")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func underContentionNoMorePermitsAreHeldThanThereAre(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let permits = Permits(Int.random(in: 1...3, using: &generator))
        let holders = HolderCounts()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let kind = Int.random(in: 0..<3, using: &generator)
                group.addTask {
                    let work = Task {
                        let permit = kind == 0 ? permits.tryAcquire() : try await permits.acquire()
                        guard let permit else { return }
                        #expect(holders.add(1, to: "permits") <= permits.count)
                        await Task.yield()
                        #expect(holders.add(-1, to: "permits") >= 0)
                        withExtendedLifetime(permit) {}
                    }
                    if number % 5 == 0 { work.cancel() }
                    _ = await work.result
                }
            }
        }

        #expect(permits.availableCount == permits.count)
    }
}
