// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Logging
import Synchronization

/// A running emitter.
///
/// One task waits for the sequence, and another task handles each action. The sequence can therefore be ended without
/// cancelling the action that is being handled.
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

    func start(with core: WeakCore, end: EmitterEnd) {
        // The task captures the pump and a weak `self`: a sequence that ends late keeps neither the run nor the services.
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

    /// Ends the waiting for the sequence, and returns when the actions that it still returns are handled.
    func drain() async {
        let waiting = state.withLock { $0.waiting }
        waiting?.cancel()
        await waiting?.value
    }

    /// Ends the run and cancels the action that is being handled.
    func stop() {
        let (waiting, handling) = state.withLock { state in
            state.isStopped = true
            return (state.waiting, state.handling)
        }
        waiting?.cancel()
        handling?.cancel()
    }

    /// Handles an action, and returns whether the run takes more.
    private func handle(_ action: any Action, by core: WeakCore) async -> Bool {
        let task: Task<Void, Never>? = state.withLock { state in
            if state.isStopped { return nil }
            let task = Task { [emitter] in
                guard let core = core.value else { return }
                do {
                    try await emitter.handle(action, by: core)
                } catch {
                    Logger.current.error(
                        "An emitted action failed.",
                        metadata: [
                            "headrace.action": "\(String(naming: type(of: action)))",
                            "headrace.services.path": "\(TreePath.text(of: emitter.path))",
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

    /// Transforms an error of the sequence.
    ///
    /// If an error remains, logs it and sets `end` to it.
    private func report(_ error: any Error, to end: EmitterEnd) async {
        if error is CancellationError, Task.isCancelled { return }
        do {
            try await emitter.transform(error)
        } catch {
            Logger.current.error(
                "The sequence of an emitter failed, and the emitter ended.",
                metadata: [
                    "headrace.services.path": "\(TreePath.text(of: emitter.path))",
                    "error": "\(error)",
                ]
            )
            end.set(.failure(error))
        }
    }
}
