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
#endif
