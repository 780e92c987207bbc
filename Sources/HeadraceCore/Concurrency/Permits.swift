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
    private typealias State = PermitsState<CheckedContinuation<Void, any Error>>

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
        state = Mutex(State(count: count))
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
        state.withLock { $0.tryAcquire() } ? Permit(of: self) : nil
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
        let id: WaiterID? = state.withLock { state in
            state.tryAcquire() ? nil : state.makeWaiterID()
        }
        guard let id else { return }
        try await withCancellableContinuation { waiter in
            state.withLock { state in
                if Task.isCancelled { return .failure(CancellationError()) }
                return state.acquire(orEnqueue: waiter, id: id) ? .success(()) : nil
            }
        } remove: {
            state.withLock { $0.removeWaiter(id) }
        }
    }

    /// Releases a permit and resumes the next waiter.
    package func release() {
        state.withLock { $0.release() }?.resume()
    }
}
