//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Logging
import Synchronization

/// An emitter at work.
///
/// One task waits for the sequence and another handles each action, so that the sequence can be ended without cancelling what
/// is being handled.
final class EmitterRun: Sendable {
    private struct State {
        var isStopped = false
        var waiting: Task<Void, Never>?
        var handling: Task<Void, Never>?
    }

    private let emitter: Emitter
    private let state = Mutex(State())

    init(_ emitter: Emitter) {
        self.emitter = emitter
    }

    func start(with core: WeakCore, end: Latch) {
        // A sequence that ends late keeps neither this nor the services.
        let pump = emitter.pump
        let task = Task { [weak self] in
            do {
                try await pump { [weak self] action in
                    await self?.handle(action, by: core) ?? false
                }
            } catch {
                await self?.report(error, to: end)
            }
        }
        state.withLock { state in
            state.waiting = task
            if state.isStopped { task.cancel() }
        }
    }

    /// Ends the waiting for the sequence, and returns when what it still gives is handled.
    func drain() async {
        let waiting = state.withLock { $0.waiting }
        waiting?.cancel()
        await waiting?.value
    }

    /// Ends it, and cancels what is being handled.
    func stop() {
        let (waiting, handling) = state.withLock { state in
            state.isStopped = true
            return (state.waiting, state.handling)
        }
        waiting?.cancel()
        handling?.cancel()
    }

    /// Handles an action, and tells whether more are wanted.
    private func handle(_ action: any Action, by core: WeakCore) async -> Bool {
        let task: Task<Void, Never>? = state.withLock { state in
            if state.isStopped { return nil }
            let task = Task { [emitter] in
                guard let core = core.value else { return }
                do {
                    try await emitter.handle(action, by: core)
                } catch {
                    Logger.current.error(
                        "An action that an emitter gave was not handled.",
                        metadata: [
                            "headrace.action": "\(TypeNames.full(type(of: action)))",
                            "headrace.services.path": "\(PlanPath.names(of: emitter.path).joined(separator: " → "))",
                            "error": "\(error)",
                        ]
                    )
                }
            }
            state.handling = task
            return task
        }
        guard let task else { return false }
        await task.value
        return state.withLock { state in
            state.handling = nil
            return !state.isStopped && core.value != nil
        }
    }

    /// Says that the sequence has failed, unless that is transformed or was asked for.
    private func report(_ error: any Error, to end: Latch) async {
        if error is CancellationError, Task.isCancelled { return }
        do {
            try await emitter.transform(error)
        } catch {
            Logger.current.error(
                "An emitter has failed, and gives no more actions.",
                metadata: [
                    "headrace.services.path": "\(PlanPath.names(of: emitter.path).joined(separator: " → "))",
                    "error": "\(error)",
                ]
            )
            end.open(.failure(error))
        }
    }
}
