//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Changes state by a closure: the least part that drippers are made of.
///
/// ```swift
/// Drip { state, action in
///     state.count += 1
///     return .none
/// }
/// ```
public struct Drip<State, Action: Sendable>: PrimitiveDripper {
    let reduce: (inout State, Action) -> Effect<Action>

    /// Creates a dripper that does what `reduce` does.
    ///
    /// - Parameter reduce: Is called on the actor of the station, once for each action, one after the other. It changes
    ///   the state that it is given and nothing else; what takes time or comes from outside belongs into the effect
    ///   that it returns.
    public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.reduce = reduce
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        DripperNode(reduce: reduce)
    }
}
