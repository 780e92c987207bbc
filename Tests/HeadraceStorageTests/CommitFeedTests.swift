// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HeadraceStorage

/// Tests which waiters a commit feed wakes, and when.
@Suite(.timeLimit(.minutes(5))) struct CommitFeedTests {
    private let feed = CommitFeed()

    @Test func waitReturnsAtOnceForAnEarlierChange() async throws {
        feed.recordCommit(of: [.order])

        try await feed.waitForChange(of: [.order], after: 0)

        #expect(feed.position == 1)
    }

    @Test func aChangeOfEverythingWakesAllWaiters() async throws {
        feed.recordCommit(of: nil)

        try await feed.waitForChange(of: [.order], after: 0)
        try await feed.waitForChange(of: [.customer], after: 0)
        try await feed.waitForChange(of: [.events], after: 0)
    }

    @Test func aCommitWakesOnlyWaitersForItsSubjects() {
        var state = CommitFeedState<String>()
        let waiters: KeyValuePairs<String, Set<CommitFeed.Subject>> = [
            "orders": [.order], "customers": [.customer], "both": [.customer, .order], "log": [.events],
        ]
        for (name, subjects) in waiters {
            let isDone = state.wait(name, id: state.makeWaiterID(), for: subjects, after: 0)
            #expect(!isDone)
        }

        let commits: [Set<CommitFeed.Subject>?] = [[], [.order], [.order], [.events], nil]
        let woken = commits.map { state.recordCommit(of: $0).sorted() }

        #expect(woken == [[], ["both", "orders"], [], ["log"], ["customers"]])
    }

    @Test func waitIgnoresAChangeBeforeItsPosition() {
        var state = CommitFeedState<String>()
        _ = state.recordCommit(of: [.order])

        let isDone = [0, 1].map { state.wait("", id: state.makeWaiterID(), for: [.order], after: $0) }

        #expect(isDone == [true, false])
    }

    @Test func aRemovedWaiterIsNotWoken() {
        var state = CommitFeedState<String>()
        let id = state.makeWaiterID()
        _ = state.wait("one", id: id, for: [.order], after: 0)

        let removed = [state.removeWaiter(id), state.removeWaiter(id)]
        let woken = state.recordCommit(of: nil)

        #expect(removed == ["one", nil])
        #expect(woken.isEmpty)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        let task = Task { [feed] in try await feed.waitForChange(of: [.order], after: 0) }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func noWaiterMissesAConcurrentChange() async throws {
        for _ in 0..<500 {
            let feed = CommitFeed()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for subject in [CommitFeed.Subject.order, .customer] {
                    group.addTask { try await feed.waitForChange(of: [subject], after: 0) }
                    group.addTask { feed.recordCommit(of: [subject]) }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension CommitFeed.Subject {
    fileprivate static let order = Self.entities("order")
    fileprivate static let customer = Self.entities("customer")
}
