// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Observes the reductions and failures of a station, on its actor.
struct ReductionObserver<State, Action: Sendable> {
    let number: Int

    /// Called after an action was reduced and before its effects start.
    ///
    /// The last argument is the completion to which the action counts; `nil` if it has none so far.
    let reduced: (State, Action, ActionSource, ActionCompletion?) -> Void

    /// Called after an effect has failed, with the action that has started it; `nil` for a subscription of the
    /// initial state.
    let failed: ((any Error, Action?) -> Void)?
}

/// An action in the queue of a busy station.
struct PendingAction<Action: Sendable> {
    let action: Action

    /// The completion to which the action counts; `nil` for the completion of the action that is being poured.
    let completion: ActionCompletion?

    /// The message that has caused the action.
    let cause: MessageContext?

    let source: ActionSource
}

/// The source of an action.
package enum ActionSource: Sendable {
    /// The program has poured the action.
    case program

    /// An effect of the station has sent or poured the action.
    case effect
}

extension StationCore {
    /// Adds an observer of reductions and failures.
    ///
    /// - Returns: The number with which ``removeReductionObserver(_:)`` removes it.
    @discardableResult
    package func addReductionObserver(
        reduced: @escaping (State, Action, ActionSource, ActionCompletion?) -> Void,
        failed: ((any Error, Action?) -> Void)? = nil
    ) -> Int {
        lastObserverNumber += 1
        reductionObservers.append(ReductionObserver(number: lastObserverNumber, reduced: reduced, failed: failed))
        return lastObserverNumber
    }

    func removeReductionObserver(_ number: Int) {
        reductionObservers.removeAll { $0.number == number }
    }

    func notifyOfFailure(_ error: any Error, of action: Action?) {
        for observer in reductionObservers { observer.failed?(error, action) }
    }

    // MARK: The result of an action

    /// Pours `action`, and returns the value of the first action of its effects in which `extract` finds a value.
    func pour<Value>(_ action: Action, returning extract: @escaping (Action) -> Value?) async throws -> Value {
        let (result, observer) = begin(action, returning: extract)
        defer { removeReductionObserver(observer) }
        if result.value == nil { await result.completion.waitForEnd() }
        return try result.get()
    }

    /// Pours `action`, and begins to look for its result.
    ///
    /// The station is instrumented until the observer with the returned number is removed.
    package func begin<Value>(
        _ action: Action,
        returning extract: @escaping (Action) -> Value?
    ) -> (result: AwaitedResult<Value>, observer: Int) {
        let completion = ActionCompletion(in: runningEffects)
        let result = AwaitedResult<Value>(of: Action.self, completion)
        let observer = addReductionObserver(reduced: { _, action, source, counted in
            if source == .effect, counted === completion, let value = extract(action) { result.set(value) }
        })
        pourInOrder(action, countingTo: completion)
        return (result, observer)
    }

    // MARK: Feeds

    /// Calls `take` with the state now and after each change, until it returns `false`.
    func subscribe(by take: @escaping (State) -> Bool) {
        _ = take(state)
        if let isEqual {
            var last = state
            observe { state, _ in
                if isEqual(last, state) { return true }
                last = state
                return take(state)
            }
        } else {
            observeChanges { state, _, changes in changes.isEmpty ? true : take(state) }
        }
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
        observeChanges { _, action, changes in take(Reduction(action: action, changes: changes)) }
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
        observeChanges { _, _, changes in
            if !changes.isEmpty, let context = MessageContext.current {
                for observer in observers { observer.stateChanged(changes, in: context) }
            }
            return true
        }
    }

    /// Calls `body` after each action, with the properties that the action has changed, until it returns `false`.
    private func observeChanges(_ body: @escaping (State, Action, [StateChange]) -> Bool) {
        var last = StateSnapshot(of: state)
        observe { state, action in
            let snapshot = StateSnapshot(of: state)
            defer { last = snapshot }
            return body(state, action, last.changes(to: snapshot))
        }
    }

    /// Calls `body` after each action, until it returns `false`.
    private func observe(_ body: @escaping (State, Action) -> Bool) {
        var number = 0
        number = addReductionObserver { [weak self] state, action, _, _ in
            if !body(state, action) { self?.removeReductionObserver(number) }
        }
    }
}
