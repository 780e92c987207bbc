// SPDX-License-Identifier: Apache-2.0

/// A dripper that consists of one reducer closure.
///
/// Other drippers are composed of it.
///
/// ```swift
/// Drip { state, action in
///     state.count += 1
///     return .none
/// }
/// ```
public struct Drip<State, Action: Sendable>: PrimitiveDripper {
    let reduce: (inout State, Action) -> Effect<Action>

    /// Creates a dripper from a reducer.
    ///
    /// - Parameter reduce: Changes the state, and returns an effect. The station calls it on its actor, once for each
    ///   action, serially. It must change nothing but the state. Work that takes time or that reads from outside belongs
    ///   in the effect.
    public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.reduce = reduce
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        DripperNode(reduce: reduce)
    }
}
