// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SerializingMiddlewareTests {
    private struct Change: SerializedCommand {
        var lockKeys: Set<String>

        init(_ keys: String...) {
            lockKeys = Set(keys)
        }
    }

    private final class Store: Sendable {}

    private struct Stale: Error {}

    private let handling = Handling(SerializingMiddleware())
    private let executor = TestExecutor(seed: nil)
    private let gates = (0..<3).map { _ in Gate() }
    private let journal = Journal()

    /// Handles `message` until the gate `number` is open.
    private func handle<Message: Sendable>(_ message: Message, _ number: Int) -> Task<Void, any Error> {
        let (handling, gate, journal) = (handling, gates[number], journal)
        return Task(executorPreference: executor) {
            try await handling.handle(message) { _ in
                journal.note("\(number)")
                await gate.pass()
            }
        }
    }

    @Test func commandsWithACommonKeyRunOneAtATimeInOrderOfArrival() async throws {
        let tasks = [handle(Change("a", "b"), 0), handle(Change("b", "c"), 1), handle(Change("c"), 2)]
        await executor.idle()
        #expect(journal.entries == ["0", "2"])

        gates[2].open()
        await executor.idle()
        #expect(journal.entries == ["0", "2"])

        for gate in gates { gate.open() }
        for task in tasks { try await task.value }
        #expect(journal.entries == ["0", "2", "1"])
    }

    @Test func otherMessagesAndCommandsWithoutKeysDoNotWait() async throws {
        let tasks = [handle(Change("a"), 0), handle(Ping(), 1), handle(Change(), 2)]
        await executor.idle()

        #expect(journal.entries.sorted() == ["0", "1", "2"])
        for gate in gates { gate.open() }
        for task in tasks { try await task.value }
    }

    @Test func aNestedCommandDoesNotWaitForTheKeysOfTheOuterCommand() async throws {
        let value = try await handling.handle(Change("a")) { [handling] _ in
            try await handling.handle(Change("a")) { _ in 1 }
        }

        #expect(value == 1)
    }

    @Test func aCancelledCommandIsNotHandledAndDelaysNoOther() async throws {
        let tasks = (0..<3).map { handle(Change("a"), $0) }
        await executor.idle()

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }

        for gate in gates { gate.open() }
        for number in [0, 2] { try await tasks[number].value }
        #expect(journal.entries == ["0", "2"])
    }

    @Test func theHandlerCanReleaseTheKeysEarly() async throws {
        #expect(SerializingMiddleware.heldLocks == nil)

        let value = try await handling.handle(Change("a")) { [handling] _ in
            let held = try #require(SerializingMiddleware.heldLocks).keys
            #expect(!held.isReleased)
            held.release()
            // Another task has to wait if the keys are still held.
            return try await Task.detached { try await handling.handle(Change("a")) { _ in 1 } }.value
        }

        #expect(value == 1)
    }

    @Test func aNestedCommandAcquiresItsKeysIfTheOuterCommandHasReleasedThem() async throws {
        let isSerialized = try await handling.handle(Change("a")) { [handling] _ in
            SerializingMiddleware.heldLocks?.keys.release()
            return try await handling.handle(Change("a")) { _ in
                SerializingMiddleware.heldLocks?.keys.isReleased == false
            }
        }

        #expect(isSerialized)
    }

    @Test(arguments: [true, false])
    func anOutcomeCountsOnlyIfTheResultsThatItDependsOnAreCertain(isCertain: Bool) async throws {
        let store = Store()
        let outcome = OneShot<Bool>()
        let command = Task(executorPreference: executor) { [handling] in
            try await handling.handle(Change("a")) { _ in
                let dependency = HeldLocks.Dependency(on: 1, in: store, isCertain: outcome, failure: Stale())
                SerializingMiddleware.heldLocks?.add(dependency)
                return 2
            }
        }
        await executor.idle()

        outcome.set(isCertain)

        if isCertain {
            #expect(try await command.value == 2)
        } else {
            await #expect(throws: Stale.self) { try await command.value }
        }
    }

    @Test func aCommitMeetsTheDependenciesInItsStoreOnly() async throws {
        let (store, other) = (Store(), Store())
        await #expect(throws: Stale.self) {
            try await handling.handle(Change("a")) { _ in
                let locks = try #require(SerializingMiddleware.heldLocks)
                let failed = OneShot<Bool>()
                failed.set(false)
                for (number, owner) in [(1, store), (2, other), (3, store)] {
                    locks.add(.init(on: number, in: owner, isCertain: failed, failure: Stale()))
                }
                #expect(locks.values(in: store) as? [Int] == [1, 3])

                locks.removeFirst(2, in: store)

                #expect(locks.values(in: store).isEmpty)
                #expect(locks.values(in: other) as? [Int] == [2])
            }
        }
    }

    @MainActor @Test func handlingStaysOnTheActorOfTheCaller() async throws {
        try await handling.onMainActor.handle(Change("a")) { _ in MainActor.assertIsolated() }
    }
}
