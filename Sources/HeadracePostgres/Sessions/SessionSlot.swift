// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Synchronization

/// A place for one connection, which is made with the first use and again after it has ended.
///
/// Tasks that come meanwhile wait for the same attempt.
final class SessionSlot: Sendable {
    private typealias Waiter = CheckedContinuation<Session, any Error>

    private enum State {
        case empty
        case connecting([Waiter])
        case connected(Session)
        case closed
    }

    private enum Step {
        case use(Session)
        case connect
        case wait
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
                state = .connecting([])
                return .connect
            case .connecting:
                return .wait
            case .closed:
                return .fail
            }
        }
        switch step {
        case .use(let session): return session
        case .connect: return try await connectForAll()
        case .wait: return try await waitForConnection()
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
        case .connecting(let waiters): for waiter in waiters { waiter.resume(throwing: PostgresFailure.closed) }
        case .empty, .closed: break
        }
    }

    private func connectForAll() async throws -> Session {
        let result: Result<Session, any Error>
        do {
            result = .success(try await connect())
        } catch {
            result = .failure(error)
        }
        let (waiters, isClosed): ([Waiter], Bool) = state.withLock { state in
            guard case .connecting(let waiters) = state else { return ([], true) }
            switch result {
            case .success(let session): state = .connected(session)
            case .failure: state = .empty
            }
            return (waiters, false)
        }
        if isClosed {
            try? result.get().close()
            throw PostgresFailure.closed
        }
        for waiter in waiters { waiter.resume(with: result) }
        return try result.get()
    }

    private func waitForConnection() async throws -> Session {
        try await withCheckedThrowingContinuation { waiter in
            let result: Result<Session, any Error>? = state.withLock { state in
                switch state {
                case .connecting(let waiters):
                    state = .connecting(waiters + [waiter])
                    return nil
                case .connected(let session):
                    return .success(session)
                case .empty:
                    return .failure(PostgresFailure.unreachable("the connection could not be made"))
                case .closed:
                    return .failure(PostgresFailure.closed)
                }
            }
            if let result { waiter.resume(with: result) }
        }
    }
}
#endif
