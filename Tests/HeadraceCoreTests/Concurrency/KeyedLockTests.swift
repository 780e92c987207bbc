// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeyedLockTests {
    private let lock = KeyedLock<String>()
    private let executor = TestExecutor(seed: nil)
    private let gates = (0..<3).map { _ in Gate() }
    private let journal = Journal()

    /// Acquires `keys`, and holds them until the gate `number` is open.
    private func hold(_ keys: Set<String>, _ number: Int) -> Task<Void, any Error> {
        let (lock, gate, journal) = (lock, gates[number], journal)
        return Task(executorPreference: executor) {
            try await lock.withLock(keys) {
                journal.note("\(number)")
                await gate.pass()
            }
        }
    }

    /// Acquires `key`, and holds it until the gate `number` is open.
    private func hold(_ key: String, _ number: Int) -> Task<Void, any Error> {
        let (lock, gate, journal) = (lock, gates[number], journal)
        return Task(executorPreference: executor) {
            try await lock.withLock(key) {
                journal.note("\(number)")
                await gate.pass()
            }
        }
    }

    @Test func operationsWithEqualKeysRunOneAtATimeInOrderOfArrival() async throws {
        let tasks = (0..<3).map { hold("key", $0) }

        for number in 0..<3 {
            // Every task has run as far as it can.
            await executor.idle()
            #expect(journal.entries == (0...number).map { "\($0)" })
            gates[number].open()
            try await tasks[number].value
        }
    }

    @Test func operationsWithDifferentKeysRunConcurrently() async throws {
        let tasks = [hold("a", 0), hold("b", 1), hold("a", 2)]
        await executor.idle()

        #expect(journal.entries == ["0", "1"])

        for gate in gates { gate.open() }
        for task in tasks { try await task.value }
        #expect(journal.entries == ["0", "1", "2"])
    }

    @Test func aCancelledWaiterThrowsAndDelaysNoOther() async throws {
        let tasks = (0..<3).map { hold("key", $0) }
        await executor.idle()

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(journal.entries == ["0"])

        for gate in gates { gate.open() }
        for number in [0, 2] { try await tasks[number].value }
        #expect(journal.entries == ["0", "2"])
    }

    @Test func aCancelledWaiterForSeveralKeysReleasesThoseItHolds() async throws {
        let first = hold("b", 0)
        await executor.idle()
        let second = hold(["a", "b"], 1)
        await executor.idle()

        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }

        #expect(try await lock.withLock("a") { 1 } == 1)
        gates[0].open()
        try await first.value
    }

    @Test func anOperationThatThrowsReleasesItsKey() async throws {
        await #expect(throws: Failure()) { try await lock.withLock("a") { throw Failure() } }
        await #expect(throws: Failure()) { try await lock.withLock(["a", "b"]) { throw Failure() } }

        #expect(try await lock.withLock(["a", "b"]) { 1 } == 1)
    }

    @Test func heldKeysAreReleasedOnce() async throws {
        let held = try await lock.acquire(["a", "b"])
        let other = hold("a", 0)
        await executor.idle()
        #expect(journal.entries == [])

        held.release()
        await executor.idle()
        held.release()
        let last = hold("a", 1)
        await executor.idle()

        #expect(journal.entries == ["0"])
        for gate in gates { gate.open() }
        try await other.value
        try await last.value
    }

    @Test func heldKeysAreReleasedWithTheirObject() async throws {
        do { _ = try await lock.acquire(["a", "b"]) }

        #expect(try await lock.withLock(["a", "b"]) { 1 } == 1)
    }

    @MainActor @Test func theOperationStaysOnTheActorOfTheCaller() async throws {
        let answer = Answer("one")

        try await lock.withLock("a") {
            MainActor.assertIsolated()
            answer.text += " two"
        }
        try await lock.withLock(["a", "b"]) { answer.text += " three" }

        #expect(answer.text == "one two three")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func underContentionNoKeyHasTwoHoldersAndNoTaskWaitsForEver(seed: UInt64) async throws {
        let keys = ["a", "b", "c"]
        let holders = HolderCounts()
        var generator = SeededGenerator(seed: seed)
        let completed = Journal()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let wanted = Set(keys.filter { _ in Bool.random(using: &generator) })
                let isCancelled = number % 5 == 0
                group.addTask { [lock] in
                    let work = Task {
                        try await lock.withLock(wanted) {
                            for key in wanted { #expect(holders.add(1, to: key) == 1) }
                            await Task.yield()
                            for key in wanted { #expect(holders.add(-1, to: key) == 0) }
                        }
                        completed.note("")
                    }
                    if isCancelled { work.cancel() }
                    _ = await work.result
                }
            }
        }

        #expect(completed.entries.count >= 48)
        #expect(try await lock.withLock(Set(keys)) { 1 } == 1)
    }
}
