// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

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
    /// The clock of the station, which a test controls.
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
            return RemotePour(actor: actor, deliver: deliver, latest: nil)
        case .latest:
            let latest = LatestAction(deliver: deliver)
            node.addFinalDelivery { latest.deliver() }
            return RemotePour(actor: actor, deliver: deliver, latest: latest)
        }
    }

    /// Returns the same pour for the actions of a child.
    func map<Child: Sendable>(_ transform: @escaping @Sendable (Child) -> Action) -> Pour<Child> {
        Pour<Child>(node: node, actor: actor, clock: clock) { [deliver] in deliver(transform($0)) }
    }
}

@available(*, unavailable, message: "A pour stays on the actor of its station. To fix, use 'pour.remote()'.")
extension Pour: Sendable {}

/// Pours the actions of an effect from outside the actor of its station.
///
/// ```swift
/// .run { pour in
///     let pour = pour.remote()
///     await withTaskGroup { group in
///         for page in pages { group.addTask { await pour(.pageLoaded(page, await load(page))) } }
///     }
/// }
/// ```
///
/// After its effect has ended or was cancelled, its actions are dropped.
public struct RemotePour<Action: Sendable>: Sendable {
    let actor: any Actor
    let deliver: @Sendable (Action) -> Void
    let latest: LatestAction<Action>?

    /// Pours `action`.
    ///
    /// The ``RemotePourPolicy`` decides whether the call waits until the action was reduced.
    public nonisolated(nonsending) func callAsFunction(_ action: Action) async {
        guard let latest else {
            await Self.deliver(action, by: deliver, isolation: actor)
            return
        }
        if latest.put(action) {
            let actor = actor
            Task { await Self.deliver(latest, isolation: actor) }
        }
    }

    private static func deliver(
        _ action: Action,
        by deliver: @Sendable (Action) -> Void,
        isolation: isolated any Actor
    ) {
        deliver(action)
    }

    private static func deliver(_ latest: LatestAction<Action>, isolation: isolated any Actor) {
        latest.deliver()
    }
}

/// The latest action that hasn't been delivered yet.
final class LatestAction<Action: Sendable>: Sendable {
    private let waiting = Mutex<Action?>(nil)
    private let deliverAction: @Sendable (Action) -> Void

    init(deliver: @escaping @Sendable (Action) -> Void) {
        deliverAction = deliver
    }

    /// Replaces the waiting action with `action`, and returns whether no action was waiting.
    func put(_ action: Action) -> Bool {
        waiting.withLock { waiting in
            defer { waiting = action }
            return waiting == nil
        }
    }

    /// Delivers the waiting action, on the actor of the station.
    func deliver() {
        let action = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let action { deliverAction(action) }
    }
}

/// The rule for a ``RemotePour`` that pours faster than its station reduces.
public struct RemotePourPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case suspend, latest }

    let kind: Kind

    /// The caller is suspended until its action was reduced, so no actions are buffered.
    public static let suspend = RemotePourPolicy(kind: .suspend)

    /// The caller isn't suspended.
    ///
    /// Of the actions that arrive while the station is busy, only the last is reduced.
    public static let latest = RemotePourPolicy(kind: .latest)
}
