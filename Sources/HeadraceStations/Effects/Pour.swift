// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// A function-like value with which an effect pours its actions.
///
/// ```swift
/// .run { pour in
///     for await location in locations { pour(.moved(to: location)) }
/// }
/// ```
///
/// When `pour(action)` returns, the action was reduced. So an effect can't be faster than its station. A pour isn't
/// `Sendable`, because it stays on the actor of the station, as the effect does. Code that has left the actor, such as
/// the children of a task group, uses ``remote(_:)``.
public struct Pour<Action: Sendable> {
    /// The clock of the station.
    public let clock: any TimeSource

    private let node: EffectNode
    private let actor: any Actor
    private let deliver: @Sendable (Action) -> Void

    init(
        node: EffectNode,
        actor: any Actor,
        clock: any TimeSource,
        deliver: @escaping @Sendable (Action) -> Void
    ) {
        self.node = node
        self.actor = actor
        self.clock = clock
        self.deliver = deliver
    }

    /// Whether the effect was cancelled.
    ///
    /// The actions of a cancelled effect are dropped.
    public var isCancelled: Bool { node.isCancelled }

    /// Reduces `action` before it returns.
    ///
    /// The effects of `action` count to the same ``PourTask`` as this effect.
    public func callAsFunction(_ action: Action) {
        deliver(action)
    }

    /// Returns a pour that other actors and child tasks can use.
    public func remote(_ policy: RemotePourPolicy = .suspend) -> RemotePour<Action> {
        switch policy.kind {
        case .suspend:
            return RemotePour(actor: actor, deliver: deliver, slot: nil)
        case .latest:
            let slot = CoalescingSlot(deliver: deliver)
            node.addFinalDelivery { slot.deliver() }
            return RemotePour(actor: actor, deliver: deliver, slot: slot)
        }
    }

    /// Returns the same pour for the actions of a child.
    func map<Child: Sendable>(_ transform: @escaping @Sendable (Child) -> Action) -> Pour<Child> {
        Pour<Child>(node: node, actor: actor, clock: clock) { [deliver] in deliver(transform($0)) }
    }
}

@available(*, unavailable, message: "A pour stays on the actor of its station. To fix, use 'pour.remote()'.")
extension Pour: Sendable {}
