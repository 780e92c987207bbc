// SPDX-License-Identifier: Apache-2.0

/// A composition of drippers with the same state and action.
///
/// The body of a dripper has this type. Each dripper reduces each action, in order, and sees the changes of the drippers
/// before it. Their effects start together.
public struct Drippers<State, Action: Sendable>: PrimitiveDripper {
    @usableFromInline let parts: [(NodeBuilder) -> DripperNode<State, Action>]
    @usableFromInline let join: ([DripperNode<State, Action>]) -> DripperNode<State, Action>

    /// Creates a composition of a single dripper.
    @inlinable
    public init<D: Dripper>(_ dripper: D) where D.State == State, D.Action == Action {
        parts = [{ builder in builder.makeNode(of: dripper) }]
        join = { DripperNode($0) }
    }

    /// Joins several compositions.
    @inlinable
    public init(_ drippers: [Drippers]) {
        parts = drippers.flatMap(\.parts)
        join = { DripperNode($0) }
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        join(parts.map { $0(builder) })
    }
}
