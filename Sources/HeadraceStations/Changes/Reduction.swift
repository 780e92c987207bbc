// SPDX-License-Identifier: Apache-2.0

/// An action that was reduced, with its changes.
public struct Reduction<Action: Sendable>: Sendable, CustomStringConvertible {
    /// The action.
    public let action: Action

    /// The properties that the action has changed; empty if it has changed nothing.
    public let changes: [StateChange]

    /// The action, followed by a line for each change.
    public var description: String {
        (["\(action)"] + changes.map { "  \($0)" }).joined(separator: "\n")
    }
}
