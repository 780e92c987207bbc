// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A dripper in the form that a station calls: built once, then called for each action.
///
/// The functions that build nodes are inlinable. The program then compiles their closures with its own types, so the
/// closures don't look up type metadata for each action.
@usableFromInline
struct DripperNode<State, Action: Sendable> {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    /// Cancels the effects of children that no longer exist, in the namespace of this node.
    ///
    /// `nil` if the node can't have such children.
    @usableFromInline let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)?

    /// Returns the subscriptions that a state declares; `nil` if the node can't have any.
    @usableFromInline let declare: ((State) -> [DeclaredSubscription<Action>])?

    @inlinable
    init(
        reduce: @escaping (inout State, Action) -> Effect<Action>,
        cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? = nil,
        declare: ((State) -> [DeclaredSubscription<Action>])? = nil
    ) {
        self.reduce = reduce
        self.cancelAbsentChildren = cancelAbsentChildren
        self.declare = declare
    }

    /// Creates a node that calls all `parts` in their order.
    @inlinable
    init(_ parts: [DripperNode]) {
        let cancellations = parts.compactMap(\.cancelAbsentChildren)
        let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? =
            cancellations.isEmpty
            ? nil : { state, namespace in for cancel in cancellations { cancel(&state, namespace) } }
        let declarations = parts.compactMap(\.declare)
        let declare: ((State) -> [DeclaredSubscription<Action>])? =
            declarations.isEmpty ? nil : { state in declarations.flatMap { $0(state) } }
        switch parts.count {
        case 0:
            self.init { _, _ in .none }
        case 1:
            self = parts[0]
        default:
            let reducers = parts.map(\.reduce)
            self.init(
                reduce: { state, action in
                    var effect = Effect<Action>.none
                    for reduce in reducers { effect.add(reduce(&state, action)) }
                    return effect
                },
                cancelAbsentChildren: cancelAbsentChildren,
                declare: declare
            )
        }
    }
}

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
