// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceCore
import Synchronization

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
