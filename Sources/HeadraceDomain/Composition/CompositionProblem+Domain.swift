//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceResolution

extension CompositionProblem.Kind {
    /// Event handlers contradict one another, or declare an invalid subscription.
    public static let invalidSubscription = CompositionProblem.Kind("invalidSubscription")

    /// A durable event has no handler in this program; only `ValidationLevel.strict` reports it.
    public static let unhandledEvent = CompositionProblem.Kind("unhandledEvent")

    /// A handled event is not declared; only `ValidationLevel.strict` reports it.
    public static let undeclaredEvent = CompositionProblem.Kind("undeclaredEvent")

    /// The store was not opened with an entity of the domain.
    public static let undeclaredEntity = CompositionProblem.Kind("undeclaredEntity")

    /// A command can be scheduled, but no relay carries it out; only `ValidationLevel.strict` reports it, unless a process sends
    /// the command.
    public static let notCarriedOut = CompositionProblem.Kind("notCarriedOut")
}
