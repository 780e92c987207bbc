// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// The work that an action has started: its effects, the actions that they pour, the effects of those, and so on.
///
/// ```swift
/// try await station.pour(.load).finish()
/// ```
///
/// Discard it if you don't need to wait. A `PourTask` of an action without effects allocates nothing.
public struct PourTask: Sendable {
    let completion: ActionCompletion?

    @inlinable
    init() {
        self.init(nothing: ())
    }

    @usableFromInline
    init(nothing: Void) {
        completion = nil
    }

    package init(_ completion: ActionCompletion) {
        self.completion = completion
    }

    /// Whether all work has ended, also by an error or a cancellation.
    public var isFinished: Bool { completion?.isFinished ?? true }

    /// Whether the work was cancelled: by ``cancel()``, by a cancelled task in ``finish()``, or because the station was
    /// released.
    public var isCancelled: Bool { completion?.node.isCancelled ?? false }

    /// Cancels all work.
    ///
    /// You can call this method on any thread.
    ///
    /// If you call it on the actor of the station, the effects pour nothing more after it returns. If you call it
    /// elsewhere, an action that is being poured at that moment is still reduced. An effect that was started in the
    /// current turn of the actor never runs.
    public func cancel() {
        completion?.node.cancel()
    }

    /// Returns when all work has ended, transitively.
    ///
    /// Cancelling the calling task cancels the work.
    ///
    /// A cancelled effect ends when its code returns.
    ///
    /// - Throws: The first error that an effect has thrown and not caught; `MessageError` if a middleware refused an
    ///   action; `CancellationError` if the calling task was cancelled.
    public nonisolated(nonsending) func finish() async throws {
        try await completion?.finish()
    }
}

/// The completion of one action: counts the work that the action has started and that hasn't ended.
///
/// The work is effects, actions that effects have poured, effects of those actions, and so on. The effects themselves
/// are below ``node``.
@usableFromInline
package final class ActionCompletion: Sendable {
    private struct State {
        /// Number of parts that haven't ended.
        ///
        /// The creator of the completion holds the first.
        var open = 1
        var failure: (any Error)?
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Whether the waiting tasks needn't wait for the end, because ``ActionCompletion/wake()`` was called.
        var isAwake = false
    }

    /// The node of all effects of the action.
    let node: EffectNode

    private let state = Mutex(State())

    init(in runningEffects: RunningEffects) {
        node = EffectNode(within: runningEffects.root)
    }

    var isFinished: Bool { state.withLock { $0.open == 0 } }

    /// Counts a part that begins; ``end()`` must follow.
    func begin() {
        state.withLock { $0.open += 1 }
    }

    /// Counts a part that ends.
    ///
    /// The end of the last part resumes the tasks that wait in ``finish()``.
    func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            state.open -= 1
            guard state.open == 0 else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        node.end()
        for continuation in waiting { continuation.resume() }
    }

    /// Stores the error of a part.
    ///
    /// Only the first error counts.
    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
    }

    /// Returns when all parts have ended.
    ///
    /// Cancelling the task that waits cancels the effects.
    nonisolated(nonsending) func finish() async throws {
        if !isFinished { await waitForEnd() }
        if let failure { throw failure }
        try Task.checkCancellation()
    }

    /// The first error of a part; `nil` if no part has failed.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Resumes the tasks that wait, although parts may not have ended.
    func wake() {
        let waiting = state.withLock { state in
            state.isAwake = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when all parts have ended, or ``wake()`` was called.
    ///
    /// Cancelling the task that waits cancels the effects.
    nonisolated(nonsending) func waitForEnd() async {
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let mustWait = state.open > 0 && !state.isAwake
                    if mustWait { state.waiting.append(continuation) }
                    return mustWait
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            node.cancel()
        }
    }
}

/// The result that a caller of `pour(_:returning:)` awaits, on the actor of the station.
package final class AwaitedResult<Value> {
    /// The value of the first matching action; `nil` if none was reduced so far.
    private(set) var value: Value?

    /// The work of the action, which wakes the caller when it has ended or has poured the result.
    package let completion: ActionCompletion

    private let action: Any.Type

    init(of action: Any.Type, _ completion: ActionCompletion) {
        self.action = action
        self.completion = completion
    }

    /// Stores the first value, and resumes the caller.
    func set(_ value: Value) {
        if self.value != nil { return }
        self.value = value
        completion.wake()
    }

    /// Returns the value.
    ///
    /// - Throws: The first error of the action's work; `CancellationError` if the work was cancelled; ``StationError`` with
    ///   the code `StationError.Code.noResult` otherwise.
    package func get() throws -> Value {
        if let value { return value }
        if let failure = completion.failure { throw failure }
        if completion.node.isCancelled { throw CancellationError() }
        throw StationError.noResult(of: action, isRunning: !completion.isFinished)
    }
}
