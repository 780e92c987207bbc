// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
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

/// A place for one connection, which is made with the first use and again after it has ended.
///
/// Tasks that come meanwhile wait for the same attempt.
final class SessionSlot: Sendable {
    /// One attempt to connect, and its result.
    private typealias Attempt = OneShot<Result<Session, any Error>>

    private enum State {
        case empty
        case connecting(Attempt)
        case connected(Session)
        case closed
    }

    private enum Step {
        case use(Session)
        case connect(Attempt)
        case wait(Attempt)
        case fail
    }

    private let state = Mutex(State.empty)
    private let connect: @Sendable () async throws -> Session

    init(connect: @escaping @Sendable () async throws -> Session) {
        self.connect = connect
    }

    /// Returns the open connection.
    ///
    /// - Throws: ``PostgresFailure``, the cause why there is no connection.
    func session() async throws -> Session {
        let step = state.withLock { state in
            switch state {
            case .connected(let session) where session.isOpen:
                return Step.use(session)
            case .empty, .connected:
                let attempt = Attempt()
                state = .connecting(attempt)
                return .connect(attempt)
            case .connecting(let attempt):
                return .wait(attempt)
            case .closed:
                return .fail
            }
        }
        switch step {
        case .use(let session): return session
        case .connect(let attempt): return try await connectForAll(attempt)
        case .wait(let attempt): return try await attempt.waitRegardless().get()
        case .fail: throw PostgresFailure.closed
        }
    }

    /// Closes the connection, and refuses to make another.
    func close() {
        let last = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch last {
        case .connected(let session): session.close()
        case .connecting(let attempt): attempt.set(.failure(PostgresFailure.closed))
        case .empty, .closed: break
        }
    }

    private func connectForAll(_ attempt: Attempt) async throws -> Session {
        let result: Result<Session, any Error>
        do {
            result = .success(try await connect())
        } catch {
            result = .failure(error)
        }
        let isClosed = state.withLock { state in
            guard case .connecting = state else { return true }
            state = if case .success(let session) = result { .connected(session) } else { .empty }
            return false
        }
        if isClosed {
            try? result.get().close()
            throw PostgresFailure.closed
        }
        attempt.set(result)
        return try result.get()
    }
}

/// The database of a store, and the rules of its connections.
struct SessionTarget: Sendable {
    /// The connection string or URL of libpq.
    let url: String

    /// The schema that has the tables.
    let schema: String

    /// Seconds for each host until a connection fails.
    let connectTimeout: Int

    /// Time until a connection is cut because an answer is missing.
    let timeout: Duration

    /// Time that a statement waits for a lock.
    let lockTimeout: Duration

    /// Whether each transaction can be on another connection of the server, as behind a pooler in transaction mode.
    var isPooled = false

    /// The schema as an SQL name.
    var quotedSchema: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }

    /// The statements that prepare a connection.
    ///
    /// The procedures rely on a new snapshot for each statement, and on commits that wait for the disk. The defaults of
    /// the database can be different.
    var settings: [String] {
        if isPooled { return [] }
        return [
            "SET search_path = \(path)",
            "SET jit = off",
            "SET default_transaction_isolation = 'read committed'",
            "SET lock_timeout = \(lockTimeout.milliseconds)",
            "SET idle_in_transaction_session_timeout = 0",
            "SET statement_timeout = 0",
            """
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """,
            Self.keepalives,
        ]
    }

    /// Seconds until a peer that is gone is noticed, in settings of libpq; parameters in the URL have priority.
    static let clientKeepalives = [
        ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"),
    ]

    /// The statement that lets the server notice a client that is gone, or that reads nothing, unless the server has settings.
    ///
    /// A connection by a local socket has no such settings, and the server ignores them.
    private static let keepalives = """
        SELECT set_config(name, value, false) FROM pg_settings JOIN (
            VALUES ('tcp_keepalives_idle', '15'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
                ('tcp_user_timeout', '30000')
        ) wanted (name, value) USING (name) WHERE source = 'default'
        """
}

extension SessionTarget {
    /// The value of `search_path`.
    var path: String { "\(quotedSchema), pg_catalog" }

    /// The first arguments of a procedure, which has its own transactions: the settings of a connection that keeps none.
    var callSettings: [PostgresValue] {
        if !isPooled { return [.text(nil), .text(nil)] }
        return [.text([UInt8](path)), .text([UInt8]("\(lockTimeout.milliseconds)"))]
    }

    /// The statement before each request of a pooled connection, in its transaction.
    ///
    /// A pooled connection keeps no settings, because the next transaction belongs to another client.
    var setup: PostgresRequest.Setup? {
        if !isPooled { return nil }
        return PostgresRequest.Setup(
            sql: """
                SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
                    set_config('jit', 'off', true)
                """,
            values: [.text([UInt8](path)), .text([UInt8]("\(lockTimeout.milliseconds)"))]
        )
    }
}

extension Duration {
    /// Milliseconds, at least 1.
    var milliseconds: Int64 { Int64(max(1, self / .milliseconds(1))) }
}

/// The connections of units of work that lock entities: a few, which are made with their first use and used again.
final class LockSessions: Sendable {
    /// A connection that belongs to one unit of work.
    struct Lease: Sendable {
        let session: Session
        private let permit: Permit

        fileprivate init(_ session: Session, _ permit: Permit) {
            self.session = session
            self.permit = permit
        }
    }

    private let permits: Permits
    private let timeout: Duration
    private let connect: @Sendable () async throws -> Session

    /// The connections that no unit of work has; `nil` after the store was closed.
    private let idle = Mutex<[Session]?>([])

    /// - Parameters:
    ///   - count: Maximum number of connections.
    ///   - timeout: Time to wait for a connection.
    ///   - connect: Makes a connection.
    init(count: Int, timeout: Duration, connect: @escaping @Sendable () async throws -> Session) {
        permits = Permits(count)
        self.timeout = timeout
        self.connect = connect
    }

    /// Returns a connection for one unit of work, or `nil` if none becomes free in time.
    ///
    /// - Throws: ``PostgresFailure``; `CancellationError`.
    func lease() async throws -> Lease? {
        guard let permit = try await permit() else { return nil }
        while true {
            let (last, isClosed) = idle.withLock { ($0?.popLast(), $0 == nil) }
            if isClosed { throw PostgresFailure.closed }
            guard let last else { return Lease(try await connect(), permit) }
            if last.isOpen { return Lease(last, permit) }
        }
    }

    private func permit() async throws -> Permit? {
        if let permit = permits.tryAcquire() { return permit }
        return try await withThrowingTaskGroup(of: Permit?.self) { [permits, timeout] group in
            group.addTask { try await permits.acquire() }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Ends the transaction of `lease`, and keeps its connection for another unit of work.
    ///
    /// A statement that still waits on the connection ends first.
    func end(_ lease: Lease) {
        lease.session.start("ROLLBACK", isPrepared: false, isAlone: true) { [weak self] result in
            // The permit is free once the connection is.
            withExtendedLifetime(lease) {
                guard case .success = result, let self else { return lease.session.close() }
                let isClosed = self.idle.withLock { idle in
                    idle?.append(lease.session)
                    return idle == nil
                }
                if isClosed { lease.session.close() }
            }
        }
    }

    /// Closes the connections that no unit of work has, and refuses to make others.
    func close() {
        let last = idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
        for session in last ?? [] { session.close() }
    }
}
#endif
