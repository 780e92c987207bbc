//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Lifecycle
public import ServiceLifecycle
#endif

extension Bootstrap {
    /// Runs until the emitters are to end: at a graceful shutdown, or by ``shutDown()``.
    ///
    /// The emitters work whether or not this runs. It makes the cluster a service of swift-service-lifecycle, where the
    /// trait `Lifecycle` is on: a graceful shutdown drains the emitters, and cancelling the task stops them.
    ///
    /// - Throws: What the sequence of an emitter throws, when the others are drained; `CancellationError`.
    public func run() async throws {
        do {
            #if Lifecycle
            try await withGracefulShutdownHandler {
                try await emitters.end.wait()
            } onGracefulShutdown: {
                self.emitters.end.open(.success(()))
            }
            #else
            try await emitters.end.wait()
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

    /// Drains the emitters, those around others first, and returns when the last action is handled.
    ///
    /// An emitter that is drained takes nothing new; what its sequence holds already it may still give, as an `AsyncStream`
    /// does. Actions may be sent to the cluster as before.
    public func shutDown() async {
        emitters.end.open(.success(()))
        await emitters.drain()
    }
}

#if Lifecycle
extension Bootstrap: ServiceLifecycle.Service {}
#endif
