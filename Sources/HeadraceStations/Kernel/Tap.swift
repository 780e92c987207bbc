//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Is told of each reduction, on the actor of the station.
struct Tap<State, Action: Sendable> {
    let number: Int

    /// Is called before the action is reduced.
    var before: ((State, Action) -> Void)?

    /// Is called after it was, before its effects start.
    var after: ((State, Action, ActionSource) -> Void)?

    /// Is told of an effect that has failed, and of the action that has started it.
    var failed: ((any Error, Action) -> Void)?
}

/// Where an action comes from.
enum ActionSource: Sendable {
    /// From outside of the station.
    case program

    /// From an effect of the station.
    case effect
}
