//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Reduces actions and starts their effects, on whichever actor owns it.
///
/// It is not `Sendable`: the compiler keeps it on that actor. Nothing here waits, hops or locks.
@usableFromInline
final class StationCore<State, Action: Sendable> {
    typealias ReductionTap = Tap<State, Action>

    /// The state; only an action that is being reduced changes it.
    ///
    /// Two accesses never overlap, so that checking it is left out: what would pour while an action is reduced waits
    /// (`isBusy`), and a reducer reads the state that it is given.
    @safe @exclusivity(unchecked)
    @usableFromInline var state: State

    @safe @exclusivity(unchecked)
    @usableFromInline var status: StationStatus = []

    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    let audit: ((inout State, Place) -> Void)?
    let chain: MiddlewareChain
    let actionMiddleware: [any ActionMiddleware]
    let observers: [any MessageObserver]
    let clock: any TimeSource
    let taskExecutor: (any TaskExecutor)?
    let lifetime: Lifetime
    let root = Place()

    var queue = PendingQueue<Action>()

    /// What the action that is being poured has started, with those that it sends; made when it starts something.
    var turnActivity: Activity?

    var taps: [ReductionTap] = []
    var lastTapNumber = 0

    /// Compares two states, where they can be compared: structs that are `Equatable`.
    let isEqual: ((State, State) -> Bool)?

    /// Tells those who observe the station that the state has changed.
    var stateDidChange: (() -> Void)?

    init<D: Dripper>(
        state: State,
        dripper: D,
        options: StationOptions,
        lifetime: Lifetime
    ) where D.State == State, D.Action == Action {
        let node = Assembly().makeNode(of: dripper)
        self.state = state
        reduce = node.reduce
        audit = node.audit
        chain = MiddlewareChain(middleware: options.middleware, observers: options.observers, clock: options.clock)
        actionMiddleware = options.middleware.compactMap { $0 as? any ActionMiddleware }
        observers = options.observers
        clock = options.clock
        taskExecutor = options.taskExecutor
        self.lifetime = lifetime
        isEqual = StateComparison<State>.make()
        updateWatched()
        tellStateObservers()
    }

    /// Reduces `action`, all that it sends, and whatever waits; starts their effects.
    @inlinable
    func pour(_ action: Action) -> PourTask {
        guard status.isEmpty else { return pourSlowly(action) }
        status = .isBusy
        var action = action
        var effect = reduce(&state, action)
        while status == .isBusy {
            switch effect.storage {
            case .none:
                status = []
                return PourTask()
            case .send(let next):
                action = next
                effect = reduce(&state, next)
            case .tree:
                return settle(effect, of: action)
            }
        }
        return settle(effect, of: action)
    }

    /// Tells whether actions take the long way.
    func updateWatched() {
        if actionMiddleware.isEmpty && observers.isEmpty && taps.isEmpty {
            status.remove(.isWatched)
        } else {
            status.insert(.isWatched)
        }
    }
}

/// An action that waits until what is being reduced has been.
struct Pending<Action: Sendable> {
    let action: Action

    /// What it belongs to, and holds a count of; `nil` for that of the action that is being poured.
    let activity: Activity?

    /// The message by whose handling it was sent.
    let cause: MessageContext?

    let source: ActionSource
}

/// First in, first out, in constant time on average.
struct PendingQueue<Action: Sendable> {
    private var actions: [Pending<Action>?] = []
    private var head = 0

    var isEmpty: Bool { head == actions.count }

    mutating func append(_ pending: Pending<Action>) {
        actions.append(pending)
    }

    mutating func popFirst() -> Pending<Action>? {
        guard head < actions.count else { return nil }
        let first = actions[head]
        actions[head] = nil
        head += 1
        if head == actions.count {
            actions.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head > 1_024, head > actions.count / 2 {
            actions.removeFirst(head)
            head = 0
        }
        return first
    }
}

/// What a station is made with, besides its state and its drippers.
struct StationOptions: Sendable {
    var middleware: [any Middleware] = []
    var observers: [any MessageObserver] = []
    var clock: any TimeSource = ContinuousClock()

    /// Where the nonisolated parts of effects run; the default where there is none.
    var taskExecutor: (any TaskExecutor)?
}
