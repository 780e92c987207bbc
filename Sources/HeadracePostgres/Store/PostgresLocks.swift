// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceCore
package import HeadraceStorage
import Synchronization

/// The locks of one unit of work: advisory locks of a transaction that stays open until the unit of work ends.
///
/// Commits go through other connections, which a lock of a row would stop.
final class PostgresLocks: StoreLocks {
    private enum State {
        case unused
        case open(LockSessions.Lease)
        case failed(LockSessions.Lease?, any Error)
        case released
    }

    private let sessions: LockSessions
    private let schema: String
    private let mapper: PostgresErrorMapper
    private let state = Mutex(State.unused)

    /// Lets one lock after the other be requested.
    private let turn = Permits(1)

    init(_ sessions: LockSessions, schema: String, mapper: PostgresErrorMapper) {
        self.sessions = sessions
        self.schema = schema
        self.mapper = mapper
    }

    deinit {
        release()
    }

    nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws {
        try await turn.withPermit {
            do {
                try await lock(reference)
            } catch let failure as PostgresFailure {
                throw fail(storeError(failure, reference))
            } catch let error as StoreError {
                throw fail(error)
            }
        }
    }

    func release() {
        let last = state.withLock { state in
            defer { state = .released }
            return state
        }
        switch last {
        case .open(let lease), .failed(let lease?, _): sessions.end(lease)
        case .unused, .failed(nil, _), .released: break
        }
    }

    private nonisolated(nonsending) func lock(_ reference: EntityReference) async throws {
        let key = PostgresValue.integer(Self.key(of: reference, in: schema))
        switch state.withLock(\.self) {
        case .released: return
        case .failed(_, let error): throw error
        case .open(let lease): try await Self.request(key, on: lease.session)
        case .unused:
            do {
                try await begin(key)
            } catch let failure as PostgresFailure where failure.isOfConnection {
                // The server may have closed the connection while nothing used it.
                try await begin(key)
            }
        }
    }

    /// Begins the transaction, and requests the first lock in the same round trip.
    private nonisolated(nonsending) func begin(_ key: PostgresValue) async throws {
        guard let lease = try await sessions.lease() else { throw StoreError.noLockSession }
        let isReleased = state.withLock { state in
            guard case .released = state else {
                state = .open(lease)
                return false
            }
            return true
        }
        if isReleased { return sessions.end(lease) }
        let begun = OneShot<Result<PostgresRows, PostgresFailure>>()
        lease.session.start("BEGIN", isPrepared: false, isAlone: true) { begun.set($0) }
        do {
            try await Self.request(key, on: lease.session)
            _ = try await begun.wait().get()
        } catch let failure as PostgresFailure where failure.isOfConnection {
            let isOpen = state.withLock { state in
                guard case .open = state else { return false }
                state = .unused
                return true
            }
            if isOpen { sessions.end(lease) }
            throw failure
        }
    }

    /// Requests a lock, and returns when the transaction has it.
    ///
    /// If the task is cancelled, the statement waits on, until the lock is free or the server's time for it is over.
    private static nonisolated(nonsending) func request(_ key: PostgresValue, on session: Session) async throws {
        let answer = OneShot<Result<PostgresRows, PostgresFailure>>()
        session.start("SELECT pg_advisory_xact_lock($1)", [key]) { answer.set($0) }
        _ = try await answer.wait().get()
    }

    /// Notes that the transaction has failed, so that it can lock nothing more, and returns `error`.
    private func fail(_ error: StoreError) -> StoreError {
        state.withLock { state in
            switch state {
            case .open(let lease): state = .failed(lease, error)
            case .unused: state = .failed(nil, error)
            case .failed, .released: break
            }
        }
        return error
    }

    private func storeError(_ failure: PostgresFailure, _ reference: EntityReference) -> StoreError {
        guard case .refused(let state, _, _) = failure else { return mapper.storeError(failure) }
        return switch state {
        case "40P01": .deadlock(reference, cause: failure)
        case "55P03", "57014": .lockedByOther(reference, cause: failure)
        default: mapper.storeError(failure)
        }
    }

    /// The number of the advisory lock, which each version of Headrace must compute in the same way.
    ///
    /// Two entities with the same number only wait for each other without need. It is FNV-1a with 64 bits.
    static func key(of reference: EntityReference, in schema: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in ["headrace entity", schema, reference.kind, reference.key] {
            // No byte of UTF-8 is 0xFF.
            for byte in Array(text.utf8) + [0xff] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        return Int64(bitPattern: hash)
    }
}

extension StoreError {
    /// All connections for locks are in use.
    fileprivate static var noLockSession: StoreError {
        StoreError(
            code: .locked,
            message: """
                No connection for locks became free in time. Nothing was stored. To fix, keep units of work with locks short, or \
                raise the 'lockerCount' of the store, then try again.
                """
        )
    }
}

extension PostgresStore: LockingStore {
    /// Returns the locks of one unit of work.
    package func makeLocks() -> any StoreLocks {
        PostgresLocks(lockers, schema: target.schema, mapper: mapper)
    }
}
#endif
