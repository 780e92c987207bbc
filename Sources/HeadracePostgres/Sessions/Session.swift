// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Synchronization

/// A connection to the server, for any number of tasks.
final class Session: Sendable {
    private let thread: PollingThread
    private let number: PollingThread.Number
    private let target: SessionTarget
    private let state: SessionState

    private init(thread: PollingThread, number: PollingThread.Number, target: SessionTarget, state: SessionState) {
        self.thread = thread
        self.number = number
        self.target = target
        self.state = state
    }

    deinit {
        close()
    }

    /// Whether the connection hasn't ended yet.
    var isOpen: Bool { state.isOpen }

    /// Connects, on a thread of its own because libpq looks up names with blocking calls.
    ///
    /// - Throws: ``PostgresFailure``.
    static func connect(
        _ target: SessionTarget,
        on thread: PollingThread,
        notify: @escaping @Sendable (String) -> Void = { _ in },
        end: @escaping @Sendable () -> Void = {}
    ) async throws -> Session {
        let session: Session = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let libpq = try LibPQ(
                            connecting: target.url, timeout: target.connectTimeout,
                            defaults: SessionTarget.clientKeepalives)
                        let state = SessionState()
                        let connection = PolledConnection(libpq, notify: notify) {
                            state.end()
                            end()
                        }
                        return Session(
                            thread: thread,
                            number: thread.adopt(connection),
                            target: target,
                            state: state
                        )
                    })
            }
        }
        for statement in target.settings { _ = try await session.run(statement, isPrepared: false) }
        return session
    }

    /// Sends a statement and passes its rows to `completion`, on the polling thread.
    func start(
        _ sql: String,
        _ values: [PostgresValue] = [],
        isPrepared: Bool = true,
        isLimited: Bool = true,
        isAlone: Bool = false,
        completion: @escaping @Sendable (Result<PostgresRows, PostgresFailure>) -> Void
    ) {
        let request = PostgresRequest(
            setup: isAlone ? nil : target.setup,
            sql: sql,
            values: values,
            // The statement would be prepared on one connection of the server, and executed on another.
            isPrepared: isPrepared && !target.isPooled,
            timeout: isLimited ? target.timeout : nil,
            completion: completion
        )
        thread.start(request, on: number)
    }

    /// Sends a statement and returns its rows; cancellation doesn't stop it.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - values: Its parameters.
    ///   - isPrepared: Whether the connection prepares the statement once and uses it again.
    ///   - isLimited: Whether the connection is cut if the answer takes too long.
    ///   - isAlone: Whether no other statement may be in its transaction, not even the settings of a pooled connection.
    /// - Returns: Its rows.
    /// - Throws: ``PostgresFailure``.
    func run(
        _ sql: String,
        _ values: [PostgresValue] = [],
        isPrepared: Bool = true,
        isLimited: Bool = true,
        isAlone: Bool = false
    ) async throws -> PostgresRows {
        try await withCheckedThrowingContinuation { continuation in
            start(sql, values, isPrepared: isPrepared, isLimited: isLimited, isAlone: isAlone) { result in
                continuation.resume(with: result.mapError { $0 as any Error })
            }
        }
    }

    /// Closes the connection; requests that wait for an answer fail.
    func close() {
        state.end()
        thread.end(number)
    }
}

/// Whether a connection is open.
private final class SessionState: Sendable {
    private let hasEnded = Mutex(false)

    var isOpen: Bool { hasEnded.withLock { !$0 } }

    func end() {
        hasEnded.withLock { $0 = true }
    }
}
#endif
