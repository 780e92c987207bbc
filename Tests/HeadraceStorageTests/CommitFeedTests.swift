// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
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

    @Test func transactionsAreMeasuredOnTheClockThatWasCurrentWhenTheStoreWasOpened() throws {
        let (clock, observer) = (TestClock(), Statistics())
        let meter = try #require(SystemValues.withCurrent(.test(clock: clock)) { CommitMeter(observer) })

        let queued = meter.now
        clock.advance(by: .seconds(2))
        let begin = meter.now
        clock.advance(by: .seconds(3))
        meter.report([.success(())], queued: queued, begin: begin, waitingCount: 0)

        #expect(observer.last?.wait == .seconds(2))
        #expect(observer.last?.duration == .seconds(3))
    }

    @Test func aChangeOfEverythingWakesAllWaiters() async throws {
        feed.recordCommit(of: nil)

        try await feed.waitForChange(of: [.order], after: 0)
        try await feed.waitForChange(of: [.customer], after: 0)
        try await feed.waitForChange(of: [.events], after: 0)
    }

    @Test func aCommitWakesOnlyWaitersForItsSubjects() throws {
        let subjects: [(name: String, subjects: Set<CommitFeed.Subject>)] = [
            ("both", [.customer, .order]), ("customers", [.customer]), ("log", [.events]), ("orders", [.order]),
        ]
        let waiters = try subjects.map { try #require(feed.request($0.subjects, after: 0)) }

        let commits: [Set<CommitFeed.Subject>?] = [[], [.order], [.order], [.events], nil]
        var woken: Set<String> = []
        let news = commits.map { commit in
            feed.recordCommit(of: commit)
            let all = Set(zip(subjects, waiters).filter { $1.result != nil }.map(\.0.name))
            defer { woken = all }
            return all.subtracting(woken)
        }

        #expect(news == [[], ["both", "orders"], [], ["log"], ["customers"]])
    }

    @Test func waitIgnoresAChangeBeforeItsPosition() {
        feed.recordCommit(of: [.order])

        #expect([0, 1].map { feed.request([.order], after: $0) == nil } == [true, false])
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

/// Keeps the statistics of the last transaction.
private final class Statistics: CommitObserver {
    private let statistics = Mutex<CommitBatchStatistics?>(nil)

    var last: CommitBatchStatistics? { statistics.withLock(\.self) }

    func committed(_ batch: CommitBatchStatistics) {
        statistics.withLock { $0 = batch }
    }
}
