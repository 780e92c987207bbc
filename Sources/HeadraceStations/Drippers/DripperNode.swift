//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A dripper as the station calls it: made once, called for each action.
///
/// What makes one is inlinable where it calls closures: those are then of the program's own types, and do not look up the
/// types of what they handle for each action.
@usableFromInline
struct DripperNode<State, Action: Sendable> {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    /// Ends the effects of children that are gone, in the place of this node; `nil` where it cannot have any.
    @usableFromInline let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)?

    @inlinable
    init(
        reduce: @escaping (inout State, Action) -> Effect<Action>,
        cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? = nil
    ) {
        self.reduce = reduce
        self.cancelAbsentChildren = cancelAbsentChildren
    }

    /// Creates a node that calls all of `parts`.
    @inlinable
    init(_ parts: [DripperNode]) {
        let cancellations = parts.compactMap(\.cancelAbsentChildren)
        let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? =
            cancellations.isEmpty
            ? nil : { state, namespace in for cancel in cancellations { cancel(&state, namespace) } }
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
                cancelAbsentChildren: cancelAbsentChildren
            )
        }
    }
}
