// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

#if Lifecycle
import ServiceLifecycle
#endif

/// Reads a status at once and then at each interval, for gauges.
struct StatusReader: Sendable {
    let interval: Duration

    /// The clock that the interval is measured on.
    let clock: any TimeSource

    /// Calls `read` until the task is cancelled or the service group shuts down; `onFailure` receives its errors.
    func run(
        _ read: @escaping @Sendable () async throws -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) async {
        #if Lifecycle
        await cancelWhenGracefulShutdown { await readUntilCancelled(read, onFailure: onFailure) }
        #else
        await readUntilCancelled(read, onFailure: onFailure)
        #endif
    }

    private func readUntilCancelled(
        _ read: @Sendable () async throws -> Void,
        onFailure: @Sendable (any Error) -> Void
    ) async {
        while !Task.isCancelled {
            let next = clock.now.advanced(by: interval)
            do {
                try await read()
            } catch is CancellationError {
                return
            } catch {
                onFailure(error)
            }
            try? await clock.sleep(until: next, tolerance: nil)
        }
    }
}
