// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Notifies relays in this process that their store has committed new deliveries.
///
/// The signal carries no data and loses no notification: a waiter passes the last position that it has seen, and
/// returns at once if the signal has advanced since.
public final class DeliverySignal: Sendable {
    private struct State {
        var position: UInt64 = 0
        var waiters = WaiterQueue<Void, Void>()
    }

    private let state = Mutex(State())

    /// Creates a signal with the position 0.
    public init() {}

    /// Number of notifications so far.
    public var position: UInt64 { state.withLock { $0.position } }

    /// Resumes all waiters.
    public func notify() {
        let resumptions = state.withLock { state in
            state.position += 1
            return state.waiters.endAll(with: .success(()))
        }
        for resumption in resumptions { resumption.resume() }
    }

    /// Does the same as ``wait(after:)``, but ignores cancellation.
    package func waitRegardless(after position: UInt64) async {
        try? await request(after: position)?.valueRegardless()
    }

    /// Returns when a notification after `position` arrives, or at once if it has already arrived.
    ///
    /// - Throws: `CancellationError`.
    public func wait(after position: UInt64) async throws {
        try Task.checkCancellation()
        try await request(after: position)?.value()
    }

    private func request(after position: UInt64) -> Waiter<Void>? {
        state.withLock { $0.position > position ? nil : $0.waiters.append() }
    }
}
