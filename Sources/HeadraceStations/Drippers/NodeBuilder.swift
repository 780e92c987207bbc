//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Makes the nodes of one station, and tells its children apart.
@usableFromInline
final class NodeBuilder {
    private var lastNumber = 0

    /// A number that no other child of the station has.
    @usableFromInline
    func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Makes the node of `dripper`: its own where it has one, that of its body otherwise.
    @usableFromInline
    func makeNode<D: Dripper>(of dripper: D) -> DripperNode<D.State, D.Action> {
        if let primitive = dripper as? any PrimitiveDripper<D.State, D.Action> {
            return primitive.makeNode(in: self)
        }
        guard let body = dripper.body as? any Dripper<D.State, D.Action> else {
            preconditionFailure(
                """
                The body of '\(String(naming: D.self))' is no dripper of its state and action. To fix, let it be \
                'some Dripper<State, Action>'.
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

/// A dripper that is not made of others.
@usableFromInline
protocol PrimitiveDripper<State, Action>: Dripper where Body == Never {
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action>
}
