//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

extension StationCore {
    /// Gives `take` the state now and after each change, until it returns `false`.
    func subscribe(by take: @escaping (State) -> Bool) {
        _ = take(state)
        watchChanges { state, hasChanged in hasChanged ? take(state) : true }
    }

    /// Gives `take` the property now and after each change, until it returns `false`.
    func subscribe<Value: Equatable>(to property: KeyPath<State, Value>, by take: @escaping (Value) -> Bool) {
        var last = state[keyPath: property]
        _ = take(last)
        tap { state, _ in
            let value = state[keyPath: property]
            if value == last { return true }
            last = value
            return take(value)
        }
    }

    /// Gives `take` each action and what it has changed, until it returns `false`.
    func subscribeToChanges(by take: @escaping (Reduction<Action>) -> Bool) {
        var last = StateSnapshot(of: state)
        tap { state, action in
            let snapshot = StateSnapshot(of: state)
            defer { last = snapshot }
            return take(Reduction(action: action, changes: last.changes(to: snapshot)))
        }
    }

    /// All properties of the state, each as one that was nothing before.
    var properties: [StateChange] { StateSnapshot().changes(to: StateSnapshot(of: state)) }

    /// Gives `take` each action, until it returns `false`.
    func tapActions(_ take: @escaping (Action) -> Bool) {
        tap { _, action in take(action) }
    }

    /// Tells those observers of changes that want to know of them.
    func tellStateObservers() {
        let observers = observers.compactMap { $0 as? any StateObserver }
        if observers.isEmpty { return }
        var last = StateSnapshot(of: state)
        tap { state, _ in
            let snapshot = StateSnapshot(of: state)
            let changes = last.changes(to: snapshot)
            last = snapshot
            if !changes.isEmpty, let context = MessageContext.current {
                for observer in observers { observer.stateChanged(changes, in: context) }
            }
            return true
        }
    }

    /// Calls `body` after each action, until it returns `false`.
    private func tap(_ body: @escaping (State, Action) -> Bool) {
        var number = 0
        number = addTap(after: { [weak self] state, action, _ in
            if !body(state, action) { self?.removeTap(number) }
        })
    }

    /// Calls `body` after each action, with whether that has changed the state, until it returns `false`.
    private func watchChanges(_ body: @escaping (State, Bool) -> Bool) {
        if let isEqual {
            var last = state
            tap { state, _ in
                let hasChanged = !isEqual(last, state)
                if hasChanged { last = state }
                return body(state, hasChanged)
            }
        } else {
            var last = StateSnapshot(of: state)
            tap { state, _ in
                let snapshot = StateSnapshot(of: state)
                let hasChanged = !last.changes(to: snapshot).isEmpty
                last = snapshot
                return body(state, hasChanged)
            }
        }
    }
}
