// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Synchronization
import Testing

/// A log that is read page by page and records the reads.
private final class PagedLog: Sendable {
    private struct State {
        var entries: [Int]
        var reads: [Int] = []
        var isBroken = false
    }

    private let state: Mutex<State>

    init(_ entries: [Int]) { state = Mutex(State(entries: entries)) }

    var reads: [Int] { state.withLock { $0.reads } }

    func append(_ entries: [Int]) { state.withLock { $0.entries += entries } }

    func breakDown() { state.withLock { $0.isBroken = true } }

    func read(after position: Int) throws -> [Int] {
        try state.withLock { state in
            if state.isBroken { throw TestFailure("log broken") }
            state.reads.append(position)
            return Array(state.entries.filter { $0 > position }.prefix(2))
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct ActionFeedTests {
    private let log = PagedLog([1, 2, 3, 4, 5])
    private let clock = TestClock()

    /// A feed that skips the third entry.
    private func feed() -> ActionFeed<Int, Int, Ping> {
        let log = log
        return ActionFeed(after: 1, every: .seconds(5), on: clock) { position in
            try log.read(after: position)
        } position: {
            $0
        } action: {
            $0 == 3 ? nil : Ping(number: $0)
        }
    }

    @Test func theFeedContinuesAfterThePageAndSkipsEntriesWithoutAnAction() async throws {
        var iterator = feed().makeAsyncIterator()

        let numbers = [try await iterator.next(), try await iterator.next(), try await iterator.next()].map {
            $0?.number
        }

        #expect(numbers == [2, 4, 5])
        #expect(log.reads == [1, 3])
    }

    @Test func afterAnEmptyPageTheFeedWaitsForTheInterval() async throws {
        let journal = Journal()
        let cluster = try await Bootstrap {
            Group {}
                .observe(on: Ping.self) { journal.note("\($0.number)") }
                .emit(using: feed())
        }
        await journal.reaches(3)
        await clock.waitForSleepers(1)

        log.append([6])
        clock.advance(by: .seconds(4))
        #expect(journal.entries == ["2", "4", "5"])
        clock.advance(by: .seconds(1))
        await journal.reaches(4)
        await clock.waitForSleepers(1)

        #expect(journal.entries == ["2", "4", "5", "6"])
        await cluster.shutDown()
    }

    @Test func aPageThatCannotBeReadEndsTheFeed() async throws {
        log.breakDown()
        var iterator = feed().makeAsyncIterator()

        await #expect(throws: TestFailure("log broken")) { try await iterator.next() }
    }

    @Test func theMessageOfAnActionIsDispatchedIfTheServicesSucceed() async throws {
        let journal = Journal()
        let cluster = try await Bootstrap {
            Leaf("leaf", journal)
                .pre(on: Ping.self) { if $0.number == 2 { throw TestFailure("refused") } }
                .dispatch(on: Ping.self) {
                    $0.number == 3 ? nil : "command \($0.number)"
                } with: { command in
                    journal.note(command)
                }
        }

        try await cluster.send(action: Ping(number: 1))
        await #expect(throws: TestFailure("refused")) { try await cluster.send(action: Ping(number: 2)) }
        try await cluster.send(action: Ping(number: 3))

        #expect(journal.entries == ["leaf", "command 1", "leaf"])
    }
}
