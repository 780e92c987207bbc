//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Synchronization
import Testing

@testable import LedgerApplication

@Suite(.timeLimit(.minutes(1))) struct TurnsTests {
    /// What is changed with a turn, as if somebody else could come in between.
    private final class Things: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func change(_ names: Set<String>) async {
            let before = counts.withLock(\.self)
            await Task.yield()
            counts.withLock { counts in
                for name in names { counts[name] = before[name, default: 0] + 1 }
            }
        }

        var all: [String: Int] { counts.withLock(\.self) }
    }

    @Test func nobodyComesInBetweenAndNobodyWaitsForEver() async throws {
        let turns = Turns()
        let things = Things()
        let sets: [Set<String>] = [["a", "b"], ["b", "c"], ["c", "a"], ["a"], ["a", "b", "c"], []]

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<600 {
                let names = sets[number % sets.count]
                group.addTask { try await turns.take(names) { await things.change(names) } }
            }
            try await group.waitForAll()
        }

        // Each of the six sets comes a hundred times.
        #expect(things.all == ["a": 400, "b": 300, "c": 300])
    }

    @Test func whoIsCancelledWhileWaitingLeavesTheTurnToTheNext() async throws {
        let turns = Turns()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await turns.take(["a"]) {
                arrival.yield()
                for await _ in ends { break }
            }
        }
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()
        let second = Task { try await turns.take(["a", "b"]) {} }
        let third = Task { try await turns.take(["a"]) { 3 } }
        second.cancel()

        await #expect(throws: CancellationError.self) { try await second.value }
        end.finish()
        try await first.value
        #expect(try await third.value == 3)
        #expect(try await turns.take(["a", "b"]) { 4 } == 4)
    }

    @Test func withinATurnNoOtherIsWaitedFor() async throws {
        let turns = Turns()

        let value = try await turns.take(["a"]) {
            try await turns.take(["a", "b"]) { 1 }
        }

        #expect(value == 1)
    }
}
