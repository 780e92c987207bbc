// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension StationCore {
    /// Calls `take` with the state now and after each change, until it returns `false`.
    func subscribe(by take: @escaping (State) -> Bool) {
        _ = take(state)
        observeChanges { state, hasChanged in hasChanged ? take(state) : true }
    }

    /// Calls `take` with the property now and after each change, until it returns `false`.
    func subscribe<Value: Equatable>(to property: KeyPath<State, Value>, by take: @escaping (Value) -> Bool) {
        var last = state[keyPath: property]
        _ = take(last)
        observe { state, _ in
            let value = state[keyPath: property]
            if value == last { return true }
            last = value
            return take(value)
        }
    }

    /// Calls `take` with each action and its changes, until it returns `false`.
    func subscribeToChanges(by take: @escaping (Reduction<Action>) -> Bool) {
        var last = StateSnapshot(of: state)
        observe { state, action in
            let snapshot = StateSnapshot(of: state)
            defer { last = snapshot }
            return take(Reduction(action: action, changes: last.changes(to: snapshot)))
        }
    }

    /// All properties of the state, as changes from nothing.
    var properties: [StateChange] { StateSnapshot().changes(to: StateSnapshot(of: state)) }

    /// Calls `take` with each action, until it returns `false`.
    func observeActions(_ take: @escaping (Action) -> Bool) {
        observe { _, action in take(action) }
    }

    /// Notifies the observers that are a `StateObserver` of the changes of each action.
    func notifyStateObservers() {
        let observers = observers.compactMap { $0 as? any StateObserver }
        if observers.isEmpty { return }
        var last = StateSnapshot(of: state)
        observe { state, _ in
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
    private func observe(_ body: @escaping (State, Action) -> Bool) {
        var number = 0
        number = addReductionObserver { [weak self] state, action, _, _ in
            if !body(state, action) { self?.removeReductionObserver(number) }
        }
    }

    /// Calls `body` after each action, until it returns `false`.
    ///
    /// Its second argument is whether the state has changed.
    private func observeChanges(_ body: @escaping (State, Bool) -> Bool) {
        if let isEqual {
            var last = state
            observe { state, _ in
                let hasChanged = !isEqual(last, state)
                if hasChanged { last = state }
                return body(state, hasChanged)
            }
        } else {
            var last = StateSnapshot(of: state)
            observe { state, _ in
                let snapshot = StateSnapshot(of: state)
                let hasChanged = !last.changes(to: snapshot).isEmpty
                last = snapshot
                return body(state, hasChanged)
            }
        }
    }
}
