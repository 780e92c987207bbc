//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What an action has started: its effects, the actions that they pour, the effects of those, and so on.
///
/// ```swift
/// try await station.pour(.load).finish()
/// ```
///
/// Throw it away where nobody waits. An action that has started nothing allocates nothing for it.
public struct PourTask: Sendable {
    let activity: Activity?

    @inlinable
    init() {
        self.init(nothing: ())
    }

    @usableFromInline
    init(nothing: Void) {
        activity = nil
    }

    init(_ activity: Activity?) {
        self.activity = activity
    }

    /// Whether all of it has ended.
    public var isFinished: Bool { activity?.isFinished ?? true }

    /// Whether it was cancelled.
    public var isCancelled: Bool { activity?.isCancelled ?? false }

    /// Cancels all of it, from wherever it is called.
    ///
    /// On the actor of the station, nothing of it pours any more when it returns; elsewhere, what is just being poured
    /// still is. What was started in the same turn of the actor runs no line.
    public func cancel() {
        activity?.cancel()
    }

    /// Returns when all of it has ended, transitively; cancelling who waits cancels it.
    ///
    /// What was cancelled has ended when its code has.
    ///
    /// - Throws: The first error that an effect has thrown and nothing has caught; `MessageError` where a middleware
    ///   refused an action; `CancellationError` where who waits was cancelled.
    public nonisolated(nonsending) func finish() async throws {
        try await activity?.finish()
    }
}
