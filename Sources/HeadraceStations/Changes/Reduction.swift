//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An action that was reduced, and what it has changed.
public struct Reduction<Action: Sendable>: Sendable, CustomStringConvertible {
    /// The action.
    public let action: Action

    /// What it has changed; empty where nothing is different.
    public let changes: [StateChange]

    /// The action, and below it each change in a line of its own.
    public var description: String {
        (["\(action)"] + changes.map { "  \($0)" }).joined(separator: "\n")
    }
}
