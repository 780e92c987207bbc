// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

extension CompositionProblem.Kind {
    /// Event handlers contradict one another, or declare an invalid subscription.
    public static let invalidSubscription = CompositionProblem.Kind("invalidSubscription")

    /// A durable event has no handler in this program; only `ValidationLevel.strict` reports it.
    public static let unhandledEvent = CompositionProblem.Kind("unhandledEvent")

    /// The store was not opened with an entity that the processes or schedules of the domain need.
    public static let undeclaredEntity = CompositionProblem.Kind("undeclaredEntity")

    /// A schedule sends a command that no relay carries out; only `ValidationLevel.strict` reports it.
    public static let notCarriedOut = CompositionProblem.Kind("notCarriedOut")
}
