// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// Listens to the notifications of other stores on the same schema, and connects again after the connection has ended.
///
/// Its connection also registers the store with ``OpenStores``.
final class CommitListener: Sendable {
    private let target: SessionTarget
    private let thread: PollingThread
    private let writer: UUID
    private let channel: String
    private let feed: CommitFeed
    private let signal: DeliverySignal

    private struct State {
        var session: Session?
        // One attempt at a time: the end of a connection that is being made starts no other attempt.
        var isConnecting = false
        var isClosed = false
    }

    private let state = Mutex(State())

    init(
        target: SessionTarget,
        thread: PollingThread,
        writer: UUID,
        channel: String,
        feed: CommitFeed,
        signal: DeliverySignal
    ) {
        self.target = target
        self.thread = thread
        self.writer = writer
        self.channel = channel
        self.feed = feed
        self.signal = signal
    }

    /// Connects and listens.
    ///
    /// - Throws: ``PostgresFailure``.
    func listen() async throws {
        state.withLock { $0.isConnecting = true }
        do {
            try await connect()
        } catch {
            state.withLock { $0.isConnecting = false }
            throw error
        }
    }

    func close() {
        let session = state.withLock { state in
            state.isClosed = true
            return state.session
        }
        session?.close()
    }

    private func connect() async throws {
        let session = try await Session.connect(
            target,
            on: thread,
            notify: { [weak self] payload in self?.receive(payload) },
            end: { [weak self] in self?.listenAgain() }
        )
        try await OpenStores(schema: target.schema, session: session).register()
        _ = try await session.run("LISTEN \(channel)", isPrepared: false)
        let isClosed = state.withLock { state in
            state.session = session
            state.isConnecting = false
            return state.isClosed
        }
        if isClosed {
            session.close()
        } else if !session.isOpen {
            listenAgain()
        }
    }

    private func receive(_ payload: String) {
        guard let notice = CommitNotice(payload: payload), notice.writer != writer else { return }
        feed.recordCommit(of: notice.subjects)
        if notice.hasDeliveries { signal.notify() }
    }

    /// Connects until it succeeds, and then reports that everything may have changed meanwhile.
    private func listenAgain() {
        let isFirst = state.withLock { state in
            defer { state.isConnecting = true }
            return !state.isConnecting && !state.isClosed
        }
        if !isFirst { return }
        Task.detached { [weak self] in
            var pause = Duration.milliseconds(50)
            while let self, !state.withLock({ $0.isClosed }) {
                do {
                    try await connect()
                    feed.recordCommit(of: nil)
                    signal.notify()
                    return
                } catch PostgresFailure.closed {
                    return
                } catch {
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(5))
                }
            }
        }
    }
}

/// The message with which a store tells other stores on the same schema what its commits have changed.
struct CommitNotice: Codable, Sendable {
    /// The identifier of the store object.
    let writer: UUID

    /// The kinds of the changed entities, or `nil` if there are too many to name.
    var kinds: Set<String>? = []

    /// Whether the log has new events.
    var hasEvents = false

    /// Whether a relay has work.
    var hasDeliveries = false

    /// PostgreSQL accepts payloads below 8,000 bytes. <https://www.postgresql.org/docs/15/sql-notify.html>
    private static let longest = 7_000

    /// Returns the name of the channel for the stores on a schema.
    ///
    /// It is short and needs no quotes, whatever the name of the schema. If two schemas have the same hash, their stores
    /// look for changes too often. <http://www.isthe.com/chongo/tech/comp/fnv/>
    static func channel(of schema: String) -> String {
        let hash = schema.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "headrace_" + String(hash, radix: 16)
    }

    init(writer: UUID) {
        self.writer = writer
    }

    /// The changed parts, or `nil` for possibly all.
    var subjects: Set<CommitFeed.Subject>? {
        guard let kinds else { return nil }
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        return hasEvents ? subjects.union([.events]) : subjects
    }

    mutating func add(_ changes: ChangeSet) {
        for subject in changes.subjects {
            switch subject {
            case .entities(let kind): kinds?.insert(kind)
            case .events: hasEvents = true
            }
        }
        hasDeliveries = hasDeliveries || changes.makesDeliveries
    }

    /// The payload, which names no kinds if it would be too long.
    var payload: String {
        get throws {
            let json = try JSONEncoder().encode(self)
            if json.count <= Self.longest { return String(decoding: json, as: UTF8.self) }
            var short = self
            short.kinds = nil
            return String(decoding: try JSONEncoder().encode(short), as: UTF8.self)
        }
    }

    init?(payload: String) {
        guard let notice = try? JSONDecoder().decode(CommitNotice.self, from: Data(payload.utf8)) else { return nil }
        self = notice
    }
}

/// Notifies other stores on the same schema of commits, some milliseconds after them.
///
/// A notification within the transaction of a commit would make all commits of the server wait for each other, so each
/// notification covers the commits of some milliseconds and is sent afterwards. If a notification is lost, relays and
/// live queries find the commits when they look for them the next time.
final class CommitNotifier: Sendable {
    private struct State {
        var notice: CommitNotice?
        var isRunning = false
    }

    /// Time between two notifications.
    private static let interval = Duration.milliseconds(5)

    private let state = Mutex(State())
    private let slot: SessionSlot
    private let writer: UUID
    private let channel: String

    init(slot: SessionSlot, writer: UUID, channel: String) {
        self.slot = slot
        self.writer = writer
        self.channel = channel
    }

    /// Notifies other stores of `changes`, or of deliveries alone if it is `nil`.
    func note(_ changes: ChangeSet?) {
        let isFirst = state.withLock { state in
            var notice = state.notice ?? CommitNotice(writer: writer)
            if let changes { notice.add(changes) } else { notice.hasDeliveries = true }
            state.notice = notice
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Task.detached { await self.run() } }
    }

    private func run() async {
        while let notice = takeNotice() {
            await send(notice)
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func takeNotice() -> CommitNotice? {
        state.withLock { state in
            defer { state.notice = nil }
            state.isRunning = state.notice != nil
            return state.notice
        }
    }

    private func send(_ notice: CommitNotice) async {
        // Other stores also look for commits on their own, so a failure needs no repetition.
        _ = try? await slot.session().run(
            "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
            [.text([UInt8](channel)), .text([UInt8](try notice.payload))]
        )
    }
}
#endif
