// SPDX-License-Identifier: Apache-2.0

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

    /// Whether all work has ended.
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
