//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Several drippers of one state and action, each of which sees each action, one after the other.
///
/// A body is one of these. All of them see the changes of those before, and their effects start together.
public struct Drippers<State, Action: Sendable>: PrimitiveDripper {
    @usableFromInline let parts: [(Assembly) -> Node<State, Action>]
    @usableFromInline let join: ([Node<State, Action>]) -> Node<State, Action>

    /// Creates one of a single dripper.
    @inlinable
    public init<D: Dripper>(_ dripper: D) where D.State == State, D.Action == Action {
        parts = [{ assembly in assembly.makeNode(of: dripper) }]
        join = { Node($0) }
    }

    /// Joins several into one.
    @inlinable
    public init(_ drippers: [Drippers]) {
        parts = drippers.flatMap(\.parts)
        join = { Node($0) }
    }

    @usableFromInline
    func makeNode(in assembly: Assembly) -> Node<State, Action> {
        join(parts.map { $0(assembly) })
    }
}
