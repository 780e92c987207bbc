// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceStorage
import Synchronization

/// A sequence of query results: the current result first, and a new result whenever a commit has changed it.
///
/// ```swift
/// for try await open in store.observe({ try await $0.fetch(Order.self, where: [.equals(.isOpen, true)]) }) {
///     print("\(open.count) orders")
/// }
/// ```
///
/// - The first value is the current result. Each further value was read from other entities, other versions or contents
///   of them, or other events. A commit that changes none of these yields nothing. The query keeps the documents of its
///   last value to compare them.
/// - Values are not buffered: a value is read when it is requested, in the task and on the actor of the caller. A slow
///   consumer skips intermediate states, but always receives the last state.
/// - Each read has a new context with its own entity objects. Change entities in a unit of work, not here.
/// - If the task is cancelled, the iteration throws `CancellationError`. After an error, the iteration has ended.
///
/// A query can be iterated any number of times. An iterator must be used by one task at a time.
public struct LiveQuery<Value>: AsyncSequence {
    /// Iterating throws the error of the read, ``HeadraceStorage/StoreError``, or `CancellationError`.
    public typealias Failure = any Error

    let store: any ObservableStore
    let polling: (interval: Duration, clock: any TimeSource)?
    let read: nonisolated(nonsending) (EntityContext) async throws -> Value

    /// Creates an iterator, without reading anything yet.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(query: self)
    }

    /// Returns the results one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let query: LiveQuery

        /// The reads of the last value.
        private var last: ObservedReads?
        private var isEnded = false

        fileprivate init(query: LiveQuery) {
            self.query = query
        }

        /// Returns the next result.
        ///
        /// - Returns: The result; `nil` after an error.
        /// - Throws: The error of the read; ``HeadraceStorage/StoreError``; `CancellationError`.
        public mutating func next() async throws -> Value? {
            try await next(isolation: #isolation)
        }

        /// Returns the next result, on `actor`.
        ///
        /// - Returns: The same as ``next()``.
        /// - Throws: The same errors as ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            if isEnded { return nil }
            // If anything fails before a value is found, the iteration has ended.
            isEnded = true
            while true {
                if let last {
                    try await query.store.waitForCommit(to: last, polling: query.polling)
                } else if query.polling != nil {
                    // Commits of other writers after this call are noticed later.
                    try await query.store.noticeOtherCommits()
                }
                try Task.checkCancellation()

                let (value, reads) = try await query.store.logging(query.read)
                let isNews = reads.log != last?.log
                last = reads
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
    /// Observes the result of `read`: returns the current value, and a new value whenever a commit has changed it.
    ///
    /// The reads of other contexts of this store in `read` count, too, such as the contexts of query handlers. So a closure that
    /// dispatches a query observes its value.
    ///
    /// Commits of this store are noticed at once. Those of other processes, and of other stores on the same file, are
    /// noticed if you give an interval for `polling`. Polling asks the store whether anything has changed, not for data.
    ///
    /// - Parameters:
    ///   - interval: How often to check for commits of other writers; never if `nil`.
    ///   - clock: The clock for the interval.
    ///   - read: Reads with the given context, in the isolation of the caller that iterates.
    /// - Returns: The results, one after the other.
    public func observe<Value>(
        polling interval: Duration? = nil,
        clock: any TimeSource = CurrentClock(),
        _ read: nonisolated(nonsending) @escaping (EntityContext) async throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: self, polling: interval.map { ($0, clock) }, read: read)
    }

    /// Runs `read`, and notes what it reads from the store.
    package nonisolated(nonsending) func logging<Value>(
        _ read: nonisolated(nonsending) (EntityContext) async throws -> Value
    ) async throws -> (value: Value, reads: ObservedReads) {
        // Taken before the read: a commit in between is part of the read, and at worst causes one read too many.
        let position = commitFeed.position
        let log = ReadLog(self)
        let value = try await ReadLog.$current.binding(log) { try await read(EntityContext(reading: self)) }
        return (value, ObservedReads(log: log.reads, position: position))
    }

    /// Returns when a commit has changed a part of the store to which `reads` belong.
    fileprivate func waitForCommit(
        to reads: ObservedReads,
        polling: (interval: Duration, clock: any TimeSource)?
    ) async throws {
        let (subjects, position) = (reads.subjects, reads.position)
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

/// The reads of a function from a store.
package struct ObservedReads: Sendable {
    /// The results of the reads, in order.
    let log: [ReadLog.Read]

    /// The position of the feed before them.
    package let position: Int

    /// The parts of the store to which they belong; empty if nothing was read through a context.
    package var subjects: Set<CommitFeed.Subject> { Set(log.map(\.subject)) }
}

/// The results of reads from a store: documents, and the positions of events.
final class ReadLog: Sendable {
    /// The log of the live query that is being read.
    @TaskLocal static var current: ReadLog?

    /// Returns `store`, or a store that notes the reads from it if a live query observes it.
    static func source(of store: any EntityStore) -> any EntityStore {
        guard let log = current, store.observable === log.store else { return store }
        return LoggedStore(store, log: log)
    }

    struct Read: Equatable {
        /// The result of a read: documents, their number, or events by their positions.
        ///
        /// Documents are compared as a whole, because an entity that was deleted and inserted again repeats the
        /// versions of the deleted entity.
        enum Answer: Equatable {
            case entities([StoredDocument])
            case count(Int)
            case events(positions: [Int64])
        }

        let subject: CommitFeed.Subject
        let answer: Answer

        init(kind: String, documents: [StoredDocument]) {
            subject = .entities(kind)
            answer = .entities(documents)
        }

        init(kind: String, count: Int) {
            subject = .entities(kind)
            answer = .count(count)
        }

        init(events: [EventRecord]) {
            subject = .events
            answer = .events(positions: events.map(\.position))
        }
    }

    private let store: any ObservableStore
    private let log = Mutex<[Read]>([])

    init(_ store: any ObservableStore) {
        self.store = store
    }

    /// The reads, in order.
    var reads: [Read] { log.withLock(\.self) }

    fileprivate func note(_ reads: [Read]) {
        log.withLock { $0 += reads }
    }
}

/// A reader that notes the results of its reads in a log.
private protocol LoggedReader: EntityReader {
    var reader: any EntityReader { get }
    var log: ReadLog { get }
}

extension LoggedReader {
    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        let document = try await reader.find(reference)
        log.note([ReadLog.Read(kind: reference.kind, documents: document.map { [$0] } ?? [])])
        return document
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        let documents = try await reader.find(all: references)
        // A kind without documents is part of the result, too.
        var found: [String: [StoredDocument]] = [:]
        for reference in references { found[reference.kind] = [] }
        for document in documents { found[document.reference.kind]?.append(document) }
        log.note(found.sorted { $0.key < $1.key }.map { ReadLog.Read(kind: $0.key, documents: $0.value) })
        return documents
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        let documents = try await reader.fetch(query)
        log.note([ReadLog.Read(kind: query.kind, documents: documents)])
        return documents
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        let count = try await reader.count(query)
        log.note([ReadLog.Read(kind: query.kind, count: count)])
        return count
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        let events = try await reader.events(after: position, limit: limit)
        log.note([ReadLog.Read(events: events)])
        return events
    }
}

/// A store whose reads a live query notes.
private final class LoggedStore: LoggedReader, EntityStore {
    private let store: any EntityStore
    let log: ReadLog

    init(_ store: any EntityStore, log: ReadLog) {
        self.store = store
        self.log = log
    }

    var reader: any EntityReader { store }
    var schema: EntitySchema { store.schema }

    func snapshot() async throws -> any EntityReader {
        LoggedSnapshot(try await store.snapshot(), log: log)
    }

    func commit(_ changes: ChangeSet) async throws {
        try await store.commit(changes)
    }

    /// Does nothing: the owner of the store closes it.
    func close() throws {}
}

/// A snapshot whose reads a live query notes.
private final class LoggedSnapshot: LoggedReader {
    let reader: any EntityReader
    let log: ReadLog

    init(_ reader: any EntityReader, log: ReadLog) {
        self.reader = reader
        self.log = log
    }
}
