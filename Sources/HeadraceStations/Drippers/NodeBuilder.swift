// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Builds the nodes of one station, and numbers its children.
@usableFromInline
final class NodeBuilder {
    private var lastNumber = 0

    /// The modifiers of the level that is being built; each is a `LevelModifier` of the level's state and action.
    private var levelModifiers: [Any] = []

    /// Returns a number that no other child of the station has.
    @usableFromInline
    func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Builds the node of all drippers of a station or of a child.
    @usableFromInline
    func makeLevel<D: Dripper>(of dripper: D) -> DripperNode<D.State, D.Action> {
        let outer = levelModifiers
        levelModifiers = []
        defer { levelModifiers = outer }
        let node = makeNode(of: dripper)
        let modifiers = levelModifiers.compactMap { $0 as? LevelModifier<D.State, D.Action> }
        return modifiers.reduce(node) { $1.modify($0) }
    }

    /// Adds a modifier of the level that is being built.
    func addLevelModifier<State, Action: Sendable>(
        _ modify: @escaping (DripperNode<State, Action>) -> DripperNode<State, Action>
    ) {
        levelModifiers.append(LevelModifier(modify: modify))
    }

    /// Builds the node of a primitive dripper, or the node of the body of any other dripper.
    @usableFromInline
    func makeNode<D: Dripper>(of dripper: D) -> DripperNode<D.State, D.Action> {
        if let primitive = dripper as? any PrimitiveDripper<D.State, D.Action> {
            return primitive.makeNode(in: self)
        }
        guard let body = dripper.body as? any Dripper<D.State, D.Action> else {
            preconditionFailure(
                """
                The body of '\(String(naming: D.self))' isn't a dripper of its state and action. To fix, declare the \
                body as 'some Dripper<State, Action>'.
                """
            )
        }
        return makeNode(ofAny: body)
    }

    private func makeNode<State, Action: Sendable>(ofAny dripper: any Dripper<State, Action>) -> DripperNode<
        State, Action
    > {
        func open<D: Dripper<State, Action>>(_ dripper: D) -> DripperNode<State, Action> { makeNode(of: dripper) }
        return open(dripper)
    }
}

/// A dripper that builds its own node instead of having a body.
@usableFromInline
protocol PrimitiveDripper<State, Action>: Dripper where Body == Never {
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action>
}

/// A change of the node of all drippers of a station or of a child.
///
/// One of these drippers has added it.
private struct LevelModifier<State, Action: Sendable> {
    let modify: (DripperNode<State, Action>) -> DripperNode<State, Action>
}
