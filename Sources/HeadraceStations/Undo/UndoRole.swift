// SPDX-License-Identifier: Apache-2.0

/// The role of an action for an ``UndoHistory``.
public struct UndoRole: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case untracked, undo, redo
        case step(group: String?)
    }

    let kind: Kind

    /// The action undoes the last step.
    public static let undo = UndoRole(kind: .undo)

    /// The action repeats the step that was undone last.
    public static let redo = UndoRole(kind: .redo)

    /// The action is a step if it changes the property.
    public static let step = UndoRole(kind: .step(group: nil))

    /// The action is a step if it changes the property, or a part of the last step if that has the same group.
    ///
    /// With the group `typing`, for example, one `undo` removes all letters that were typed in a row.
    public static func step(mergedAs group: String) -> UndoRole { UndoRole(kind: .step(group: group)) }

    /// The action is no step.
    ///
    /// A change of the property by such an action is undone together with the step before it. Use it for the action of a
    /// shared state, for example.
    public static let untracked = UndoRole(kind: .untracked)
}
