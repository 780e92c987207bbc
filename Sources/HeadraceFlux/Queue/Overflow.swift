//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// What happens where an action comes to a pipeline in which as many wait as may.
public struct Overflow: Sendable {
    enum Choice: Sendable {
        case suspend, dropOldest, dropNewest
        case coalesce(@Sendable (any Action) -> AnyHashable?)
    }

    let choice: Choice

    /// Who awaits the action waits longer; an action that nobody awaits is not taken, and is logged as ``PipelineError``
    /// with the code `full`.
    public static let suspend = Overflow(choice: .suspend)

    /// The action that has waited longest is not executed: whoever awaits it gets ``PipelineError`` with the code `dropped`.
    public static let dropOldest = Overflow(choice: .dropOldest)

    /// The new action is not executed, with the same error.
    public static let dropNewest = Overflow(choice: .dropNewest)

    /// The new action replaces one with the same key that waits, which is not executed, with the same error.
    ///
    /// Where none has the same key, or `key` gives `nil`, it is as with ``suspend``.
    public static func coalesce(by key: @escaping @Sendable (any Action) -> AnyHashable?) -> Overflow {
        Overflow(choice: .coalesce(key))
    }
}
