//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Pours the actions of an effect from outside of the actor of its station.
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
/// What it is given when its effect was cancelled or has ended is dropped.
public struct RemotePour<Action: Sendable>: Sendable {
    let actor: any Actor
    let deliver: @Sendable (Action) -> Void
    let slot: CoalescingSlot<Action>?

    /// Has `action` reduced; what it waits for is what ``RemotePourPolicy`` says.
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

/// Holds the last action that is still to be delivered.
final class CoalescingSlot<Action: Sendable>: Sendable {
    private let waiting = Mutex<Action?>(nil)
    private let deliverAction: @Sendable (Action) -> Void

    init(deliver: @escaping @Sendable (Action) -> Void) {
        deliverAction = deliver
    }

    /// Puts `action` in the place of what waits, and tells whether nothing did.
    func put(_ action: Action) -> Bool {
        waiting.withLock { waiting in
            defer { waiting = action }
            return waiting == nil
        }
    }

    /// Delivers what waits, on the actor of the station.
    func deliver() {
        let action = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let action { deliverAction(action) }
    }
}
