//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceFlux
import Measuring

/// A dispatcher whose actions cost next to nothing.
public final class Counter: Dispatcher {
    /// Where the actions wait.
    public let pipeline = Pipeline()

    /// What wraps them.
    public let middlewares: [any Middleware]

    /// Creates a counter within this middleware.
    public init(middlewares: [any Middleware] = []) {
        self.middlewares = middlewares
    }
}

/// An action that costs next to nothing.
public struct Count: Action {
    let number: Int

    /// Creates an action.
    public init(_ number: Int) {
        self.number = number
    }

    /// Takes the number.
    @inline(never)
    public func execute(with counter: Counter) async {
        consume(number)
    }
}

/// An action that executes another one as often as it is told.
public struct CountWithin: Action {
    let times: Int

    /// Creates an action.
    public init(times: Int) {
        self.times = times
    }

    /// Executes the other.
    public func execute(with counter: Counter) async {
        for number in 0..<times { await counter.execute(Count(number)) }
    }
}

/// An actor that is hopped to and does next to nothing.
public actor Hopper {
    /// Creates an actor.
    public init() {}

    /// Takes the number.
    @inline(never)
    public func take(_ number: Int) {
        consume(number)
    }
}
