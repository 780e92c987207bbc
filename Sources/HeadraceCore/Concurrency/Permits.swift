// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counting semaphore: at most `count` tasks hold a permit at the same time.
///
/// ```swift
/// let uploads = Permits(4)
///
/// // waits for a permit
/// try await uploads.withPermit { try await store(upload) }
///
/// // or refuses the upload if none is free
/// guard let permit = uploads.tryAcquire() else { throw TooManyUploads() }
/// ```
///
/// Waiting tasks receive permits in order of arrival. A waiting task is suspended and blocks no thread. With a count
/// of 1 it is a lock. It isn't re-entrant: a task that holds the last permit and waits for another permit waits for
/// ever.
package final class Permits: Sendable {
    private struct State {
        /// Number of free permits; tasks wait only while it is 0.
        var availableCount: Int

        var waiters = WaiterQueue<Void, Void>()
    }

    /// Number of permits, free or not.
    package let count: Int

    private let state: Mutex<State>

    /// Creates a semaphore with `count` free permits.
    ///
    /// - Precondition: `count` must not be negative. With 0 permits, every attempt to acquire one without waiting
    ///   fails.
    package init(_ count: Int) {
        precondition(count >= 0, "The number of permits is negative. To fix, pass 0 or more.")
        self.count = count
        state = Mutex(State(availableCount: count))
    }

    /// Number of permits that are free at the moment.
    package var availableCount: Int { state.withLock { $0.availableCount } }

    /// Waits for a permit and acquires it.
    ///
    /// It is released when the returned object is deallocated.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    package nonisolated(nonsending) func acquire() async throws -> Permit {
        try await wait()
        return Permit(of: self)
    }

    /// Acquires a permit without waiting; `nil` if none is free.
    ///
    /// It is released when the returned object is deallocated.
    package func tryAcquire() -> Permit? {
        let isAcquired = state.withLock { state in
            if state.availableCount == 0 { return false }
            state.availableCount -= 1
            return true
        }
        return isAcquired ? Permit(of: self) : nil
    }

    /// Waits for a permit and runs `operation`, on the actor of the caller, while it holds the permit.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; the errors of `operation`.
    package nonisolated(nonsending) func withPermit<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await wait()
        defer { release() }
        return try await operation()
    }

    /// Returns when the task holds a permit, which it must release.
    package nonisolated(nonsending) func wait() async throws {
        try await request()?.value()
    }

    /// Acquires a permit, or returns the waiter that receives one.
    func request() -> Waiter<Void>? {
        state.withLock { state in
            if state.availableCount == 0 { return state.waiters.append() }
            state.availableCount -= 1
            return nil
        }
    }

    /// Releases a permit and resumes the next waiter.
    package func release() {
        let resumption: Resumption<Void>? = state.withLock { state in
            if let next = state.waiters.endFirst(with: ()) { return next }
            state.availableCount += 1
            return nil
        }
        resumption?.resume()
    }
}

/// A permit of a semaphore (``Permits``), held until the object is deallocated.
///
/// The compiler may deallocate an object after its last use. To hold the permit for a whole scope, use
/// ``Permits/withPermit(_:)`` or `withExtendedLifetime(_:_:)`.
package final class Permit: Sendable {
    private let permits: Permits

    fileprivate init(of permits: Permits) {
        self.permits = permits
    }

    deinit {
        permits.release()
    }
}
