// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

#if Lifecycle
public import ServiceLifecycle
#endif

extension Bootstrap {
    /// Runs until a graceful shutdown or until ``shutDown()`` is called.
    ///
    /// The emitters work whether or not this method runs. With the trait `Lifecycle`, the method makes the cluster a service of
    /// swift-service-lifecycle: a graceful shutdown drains the emitters, and cancelling the task stops them.
    ///
    /// - Throws: The error of an emitter's sequence, after the other emitters are drained; `CancellationError`.
    public func run() async throws {
        do {
            #if Lifecycle
            try await withGracefulShutdownHandler {
                try await emitters.end.wait().get()
            } onGracefulShutdown: {
                self.emitters.end.set(.success(()))
            }
            #else
            try await emitters.end.wait().get()
            #endif
        } catch is CancellationError {
            emitters.stop()
            throw CancellationError()
        } catch {
            await emitters.drain()
            throw error
        }
        await emitters.drain()
    }

    /// Drains the emitters, outer ones first, and returns when their last action is handled.
    ///
    /// Draining cancels the wait for a sequence. Elements that the sequence has already buffered are still handled, as with
    /// `AsyncStream`. Afterwards you can still send actions to the cluster.
    public func shutDown() async {
        emitters.end.set(.success(()))
        await emitters.drain()
    }
}

#if Lifecycle
extension Bootstrap: ServiceLifecycle.Service {}
#endif
