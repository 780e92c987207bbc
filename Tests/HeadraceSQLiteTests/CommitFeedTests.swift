//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
@testable import HeadraceSQLite
import Synchronization
import Testing

/// Who wakes when: the feed that tells live queries of commits.
@Suite(.timeLimit(.minutes(5))) struct CommitFeedTests {
    private let feed = CommitFeed()

    @Test func aChangeThatWasBeforeIsNotWaitedFor() async throws {
        feed.recordCommit(of: ["order"])

        try await feed.waitForChange(of: ["order"], after: 0)

        #expect(feed.position == 1)
    }

    @Test func aChangeOfAllKindsIsOneOfEach() async throws {
        feed.recordCommit(of: nil)

        try await feed.waitForChange(of: ["order"], after: 0)
        try await feed.waitForChange(of: ["customer"], after: 0)
    }

    @Test func onlyThoseWakeWhoseKindsWereChanged() {
        var state = CommitFeedState<String>()
        let kinds: KeyValuePairs = ["orders": ["order"], "customers": ["customer"], "both": ["customer", "order"]]
        for (name, kinds) in kinds {
            let isDone = state.wait(name, id: state.makeWaiterID(), for: Set(kinds), after: 0)
            #expect(!isDone)
        }

        let woken = [[], ["order"], ["order"], nil].map { kinds in
            state.recordCommit(of: kinds.map { Set($0) }).sorted()
        }

        #expect(woken == [[], ["both", "orders"], [], ["customers"]])
    }

    @Test func aChangeThatWasSeenIsWaitedForAnew() {
        var state = CommitFeedState<String>()
        _ = state.recordCommit(of: ["order"])

        let isDone = [0, 1].map { state.wait("", id: state.makeWaiterID(), for: ["order"], after: $0) }

        #expect(isDone == [true, false])
    }

    @Test func whoStopsWaitingIsNotWoken() {
        var state = CommitFeedState<String>()
        let id = state.makeWaiterID()
        _ = state.wait("one", id: id, for: ["order"], after: 0)

        let removed = [state.removeWaiter(id), state.removeWaiter(id)]
        let woken = state.recordCommit(of: nil)

        #expect(removed == ["one", nil])
        #expect(woken.isEmpty)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        let task = Task { [feed] in try await feed.waitForChange(of: ["order"], after: 0) }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func nobodyMissesAChangeHoweverTheyMeet() async throws {
        for _ in 0..<500 {
            let feed = CommitFeed()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for kind in ["order", "customer"] {
                    group.addTask { try await feed.waitForChange(of: [kind], after: 0) }
                    group.addTask { feed.recordCommit(of: [kind]) }
                }
                try await group.waitForAll()
            }
        }
    }
}
#endif
