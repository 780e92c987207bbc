// SPDX-License-Identifier: Apache-2.0

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

/// The source of an action.
enum ActionSource: Sendable {
    /// The program has poured the action.
    case program

    /// An effect of the station has sent or poured the action.
    case effect
}
