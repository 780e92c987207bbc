// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
    let slot: CoalescingSlot<Action>?

    /// Pours `action`.
    ///
    /// The ``RemotePourPolicy`` decides whether the call waits until the action was reduced.
    public nonisolated(nonsending) func callAsFunction(_ action: Action) async {
        guard let slot else {
            await Self.deliver(action, by: deliver, isolation: actor)
            return
        }
        if slot.put(action) {
            let actor = actor
            Task { await Self.deliver(from: slot, isolation: actor) }
        }
    }

    private static func deliver(
        _ action: Action,
        by deliver: @Sendable (Action) -> Void,
        isolation: isolated any Actor
    ) {
        deliver(action)
    }

    private static func deliver(from slot: CoalescingSlot<Action>, isolation: isolated any Actor) {
        slot.deliver()
    }
}

/// The latest action that hasn't been delivered yet.
final class CoalescingSlot<Action: Sendable>: Sendable {
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
