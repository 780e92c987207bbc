//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceStorage

/// What a read gives, and again whenever a commit has changed it.
///
/// ```swift
/// for try await open in store.observe({ try await $0.fetch(Order.self, where: [.equals(.isOpen, true)]) }) {
///     print("\(open.count) orders")
/// }
/// ```
///
/// - The first value is the current one; each further one was read from other entities, other versions or contents of
///   them, or other events. A commit that changes none of these yields nothing. To compare, the query keeps the documents
///   of its last value.
/// - Nothing is kept back: a value is read when it is asked for, in the task and on the actor of whoever asks. Who is
///   slow misses what was in between, and never the last state.
/// - Each read has a context of its own, and so entities of its own. Change them in a unit of work, not here.
/// - A cancelled task gets `CancellationError`. After an error the iteration has ended.
///
/// It is iterated as often as one wants, by one task at a time.
public struct LiveQuery<Value>: AsyncSequence {
    /// Iterating fails with what the read throws, with ``HeadraceStorage/StoreError`` or `CancellationError`.
    public typealias Failure = any Error

    let store: any ObservableStore
    let polling: (interval: Duration, clock: any TimeSource)?
    let read: nonisolated(nonsending) (EntityContext) async throws -> Value

    /// Begins to iterate; nothing is read yet.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(query: self)
    }

    /// Gives the states one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let query: LiveQuery

        /// What the last value was read from, and the position of the feed before that.
        private var last: (reads: [ReadLog.Read], position: Int)?
        private var isEnded = false

        fileprivate init(query: LiveQuery) {
            self.query = query
        }

        /// Gives the next state.
        ///
        /// - Returns: The state; `nil` after an error.
        /// - Throws: What the read throws; ``HeadraceStorage/StoreError``; `CancellationError`.
        public mutating func next() async throws -> Value? {
            try await next(isolation: #isolation)
        }

        /// Gives the next state, on `actor`.
        ///
        /// - Returns: As of ``next()``.
        /// - Throws: As of ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            if isEnded { return nil }
            // Until a value is found, whatever happens ends the iteration.
            isEnded = true
            while true {
                if let last {
                    let subjects = Set(last.reads.map(\.subject))
                    try await query.store.waitForCommit(to: subjects, after: last.position, polling: query.polling)
                } else if query.polling != nil {
                    // What others commit from now on is news.
                    try await query.store.noticeOtherCommits()
                }
                try Task.checkCancellation()

                // Taken before the read: a commit in between is read, and at worst read once more for nothing.
                let position = query.store.commitFeed.position
                let log = ReadLog(query.store)
                let value = try await query.read(EntityContext(log))
                let isNews = last.map { $0.reads != log.reads } ?? true
                last = (log.reads, position)
                if isNews {
                    isEnded = false
                    return value
                }
            }
        }
    }
}

@available(*, unavailable)
extension LiveQuery.AsyncIterator: Sendable {}

extension ObservableStore {
    /// Observes what `read` reads: gives its value, and again whenever a commit has changed that.
    ///
    /// Commits of this store are noticed at once. Those of other processes, and of other stores on the same file, are
    /// noticed if you give an interval for `polling`. Polling asks the store whether anything has changed, not for data.
    ///
    /// - Parameters:
    ///   - interval: How often to ask whether others have committed; never unless given.
    ///   - clock: Waits between the questions.
    ///   - read: Reads through the context that it is given, in the isolation of whoever iterates.
    /// - Returns: The states, one after the other.
    public func observe<Value>(
        polling interval: Duration? = nil,
        clock: any TimeSource = ContinuousClock(),
        _ read: nonisolated(nonsending) @escaping (EntityContext) async throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: self, polling: interval.map { ($0, clock) }, read: read)
    }

    /// Returns when one of `subjects` was changed after `position`.
    fileprivate func waitForCommit(
        to subjects: Set<CommitFeed.Subject>,
        after position: Int,
        polling: (interval: Duration, clock: any TimeSource)?
    ) async throws {
        guard let polling else { return try await commitFeed.waitForChange(of: subjects, after: position) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [commitFeed] in try await commitFeed.waitForChange(of: subjects, after: position) }
            group.addTask {
                while true {
                    try await polling.clock.sleep(polling.interval)
                    try await self.noticeOtherCommits()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

extension TimeSource {
    fileprivate func sleep(_ duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration), tolerance: nil)
    }
}
