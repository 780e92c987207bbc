// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceCore
import Synchronization

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
#endif
