// SPDX-License-Identifier: Apache-2.0

package import HeadraceCore

/// A station without an actor.
///
/// A test provides the actor, with an executor that the test drives.
package final class StationDriver<State, Action: Sendable> {
    private let core: StationCore<State, Action>

    /// Creates a station.
    ///
    /// Attach `runningEffects` to the actor that owns this object before the first action.
    package init<D: Dripper>(
        initialState: State,
        middleware: [any Middleware],
        observers: [any MessageObserver],
        clock: any TimeSource,
        taskExecutor: any TaskExecutor,
        runningEffects: RunningEffects,
        dripper: D
    ) where D.State == State, D.Action == Action {
        core = StationCore(
            state: initialState,
            dripper: dripper,
            options: StationOptions(
                middleware: middleware,
                observers: observers,
                clock: clock,
                taskExecutor: taskExecutor
            ),
            runningEffects: runningEffects
        )
    }

    /// The state.
    package var state: State { core.state }

    /// Starts the subscriptions of the initial state.
    package func startSubscriptions() { core.startSubscriptions() }

    /// Names of the subscriptions that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] { core.subscriptionNames }

    /// Number of tasks of subscriptions that are running.
    package var subscriptionTaskCount: Int { core.subscriptionTaskCount }

    /// Reduces `action` before it returns.
    package func pour(_ action: Action) -> PourTask { core.pour(action) }

    /// Pours `action`, and looks for its result.
    ///
    /// - Returns: A function that returns the result; its error has the code `noResult` while the work goes on.
    package func pour<Value>(
        _ action: Action,
        returning extract: @escaping (Action) -> Value?
    ) -> (task: PourTask, result: () throws -> Value) {
        let result = core.begin(action, returning: extract).result
        return (PourTask(result.completion), { try result.get() })
    }

    /// Calls `reduced` after each reduction, and `failed` after each failure.
    ///
    /// `isPoured` is `true` if the program has poured the action, and `false` if an effect has.
    package func observe(
        reduced: @escaping (State, Action, _ isPoured: Bool) -> Void,
        failed: @escaping (any Error, Action?) -> Void
    ) {
        core.addReductionObserver(
            reduced: { state, action, source, _ in reduced(state, action, source == .program) },
            failed: failed
        )
    }
}
