// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceFlux
import Measuring

/// A dispatcher with actions that cost almost nothing.
public final class Counter: Dispatcher {
    /// The queue of the actions.
    public let pipeline = Pipeline()

    /// The middleware around the actions.
    public let middlewares: [any Middleware]

    /// Creates a counter with this middleware.
    public init(middlewares: [any Middleware] = []) {
        self.middlewares = middlewares
    }
}

/// An action that costs almost nothing.
public struct Count: Action {
    let number: Int

    /// Creates an action.
    public init(_ number: Int) {
        self.number = number
    }

    /// Reads the number.
    @inline(never)
    public func execute(with counter: Counter) async {
        consume(number)
    }
}

/// An action that executes another action `times` times.
public struct CountWithin: Action {
    let times: Int

    /// Creates an action.
    public init(times: Int) {
        self.times = times
    }

    /// Executes the other action.
    public func execute(with counter: Counter) async {
        for number in 0..<times { await counter.execute(Count(number)) }
    }
}

/// An actor for hops, with a method that does almost nothing.
public actor Hopper {
    /// Creates an actor.
    public init() {}

    /// Reads the number.
    @inline(never)
    public func take(_ number: Int) {
        consume(number)
    }
}
