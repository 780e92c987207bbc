// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Logging
import Synchronization

/// An `emit` modifier: a source of actions, and the services under it.
///
/// One task waits for the sequence, and another task handles each action. The sequence can therefore be ended without
/// cancelling the action that is being handled.
final class Emitter: Sendable {
    /// Passes each action of the sequence to `take`, until `take` returns false or the sequence ends.
    typealias Pump = @Sendable (_ take: @Sendable (any Action) async throws -> Bool) async throws -> Void

    private struct State {
        var isStopped = false
        var waiting: Task<Void, Never>?
        var handling: Task<Void, Never>?
    }

    /// Whether the whole sequence is consumed before the cluster handles its first action.
    let isConsumedFirst: Bool

    private let pump: Pump
    private let path: TreePath?

    /// The services under the emitter, with the interceptors and error transforms around it.
    private let node: ServiceNode

    /// The error transforms around the emitter, the nearest first, for an error of the sequence.
    private let transforms: [ErrorTransform]

    private let state = Mutex(State())

    init(
        _ pump: @escaping Pump,
        isConsumedFirst: Bool,
        of base: ServiceNode,
        within modifiers: [ServiceNode.Modifier],
        at path: TreePath?
    ) {
        self.pump = pump
        self.isConsumedFirst = isConsumedFirst
        self.path = path
        node = modifiers.reversed().reduce(base) { ServiceNode(.modified($0, $1)) }
        transforms = modifiers.reversed().compactMap {
            if case .transform(let transform) = $0 { transform } else { nil }
        }
    }

    /// Handles all actions of the sequence.
    func consume(for target: SendTarget) async throws {
        try await pump { action in
            guard let cluster = target.cluster else { return false }
            try await cluster.send(action, from: SendFrame(), to: self.node)
            return true
        }
    }

    /// Begins to handle the actions of the sequence, and sets `end` to an error of the sequence.
    func start(for target: SendTarget, end: OneShot<Result<Void, any Error>>) {
        // The task captures the pump and a weak `self`: a sequence that ends late keeps neither the emitter nor the services.
        let task = Task { [weak self, pump] in
            do {
                try await pump { [weak self] action in
                    await self?.handle(action, for: target) ?? false
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

    /// Ends the emitter and cancels the action that is being handled.
    func stop() {
        let (waiting, handling) = state.withLock { state in
            state.isStopped = true
            return (state.waiting, state.handling)
        }
        waiting?.cancel()
        handling?.cancel()
    }

    /// Handles an action, and returns whether the emitter takes more.
    private func handle(_ action: any Action, for target: SendTarget) async -> Bool {
        let task: Task<Void, Never>? = state.withLock { state in
            if state.isStopped { return nil }
            let task = Task { [node, path] in
                guard let cluster = target.cluster else { return }
                do {
                    try await cluster.send(action, from: SendFrame(), to: node)
                } catch {
                    Logger.current.error(
                        "An emitted action failed.",
                        metadata: [
                            "headrace.action": "\(String(naming: type(of: action)))",
                            "headrace.services.path": "\(TreePath.text(of: path))",
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
            return !state.isStopped && target.cluster != nil
        }
    }

    /// Passes an error of the sequence to the error transforms, the nearest first.
    ///
    /// If an error remains, logs it and sets `end` to it.
    private func report(_ error: any Error, to end: OneShot<Result<Void, any Error>>) async {
        if error is CancellationError, Task.isCancelled { return }
        var left = error
        for transform in transforms {
            do {
                return try await transform.apply(to: left, SendFrame())
            } catch {
                left = error
            }
        }
        left = CollectedFailures.reported(left)
        Logger.current.error(
            "The sequence of an emitter failed, and the emitter ended.",
            metadata: ["headrace.services.path": "\(TreePath.text(of: path))", "error": "\(left)"]
        )
        end.set(.failure(left))
    }
}
