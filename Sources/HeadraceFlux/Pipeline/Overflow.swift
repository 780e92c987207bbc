// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The policy for a new action when the limit of a pipeline is reached.
public struct Overflow: Sendable {
    enum Choice: Sendable {
        case suspend, dropOldest, dropNewest
        case coalesce(@Sendable (any Action) -> AnyHashable?)
    }

    let choice: Choice

    /// An awaited action waits, although the limit is reached, so its caller is suspended longer.
    ///
    /// A queued action is rejected, and ``PipelineError`` with the code `full` is logged.
    public static let suspend = Overflow(choice: .suspend)

    /// The oldest waiting action is rejected with ``PipelineError`` with the code `dropped`.
    ///
    /// If a caller awaits it, the error is thrown there; otherwise it is logged.
    public static let dropOldest = Overflow(choice: .dropOldest)

    /// The new action is rejected with the same error as with ``dropOldest``.
    public static let dropNewest = Overflow(choice: .dropNewest)

    /// The new action replaces a waiting action with the same key, which is rejected with the same error as with
    /// ``dropOldest``.
    ///
    /// If no waiting action has the same key, or if `key` returns `nil`, the policy is ``suspend``.
    public static func coalesce(by key: @escaping @Sendable (any Action) -> AnyHashable?) -> Overflow {
        Overflow(choice: .coalesce(key))
    }
}
