// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore

/// A store of state on its own actor, for servers.
///
/// Only poured actions change the state.
///
/// ```swift
/// let station = ActorStation(initialState: Counter.State()) { Counter() }
/// await station.pour(.increase)
/// print(await station.count)
/// ```
///
/// It uses the same drippers as a ``Station`` and has the same guarantees. When ``pour(_:)`` returns, the state has
/// changed. Effects begin afterwards, on the station's actor, and are cancelled when the station is released. The main
/// actor isn't used.
@dynamicMemberLookup
public final class ActorStation<State, Action: Sendable>: Sendable {
    let host: StationHost<State, Action>
    private let runningEffects: RunningEffects

    /// Creates a station.
    ///
    /// The body of `dripper` is read only here.
    ///
    /// For the parameters, see ``Station/init(initialState:middleware:observers:clock:dripper:)``.
    public init<D: Dripper>(
        initialState: @autoclosure @Sendable () -> State,
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = CurrentClock(),
        @DripperBuilder<State, Action> dripper: @Sendable () -> D
    ) where D.State == State, D.Action == Action {
        let runningEffects = RunningEffects()
        self.runningEffects = runningEffects
        let options = StationOptions(middleware: middleware, observers: observers, clock: clock)
        host = StationHost(
            {
                StationCore(state: initialState(), dripper: dripper(), options: options, runningEffects: runningEffects)
            },
            runningEffects: runningEffects
        )
    }

    deinit {
        runningEffects.cancel()
    }

    /// Reduces `action` before it returns, and starts its effects.
    ///
    /// - Returns: The task of the action, with which you can wait for its effects or cancel them.
    @discardableResult
    public func pour(_ action: Action) async -> PourTask {
        await host.perform { $0.pour(action) }
    }

    /// A property of the state, which is read on the station's actor.
    public subscript<Value: Sendable>(dynamicMember keyPath: any KeyPath<State, Value> & Sendable) -> Value {
        get async { await host.perform { $0.state[keyPath: keyPath] } }
    }

    /// Calls `body` with the state on the station's actor, and returns its result.
    public func read<Value: Sendable>(_ body: @Sendable (State) -> Value) async -> Value {
        await host.perform { body($0.state) }
    }
}

extension ActorStation where State: Sendable {
    /// A copy of the state after all actions that were reduced so far.
    public var state: State {
        get async { await host.perform(\.state) }
    }
}

/// The actor station of the dripper `D`, as in `let station: ActorStationOf<Counter>`.
public typealias ActorStationOf<D: Dripper> = ActorStation<D.State, D.Action>

extension ActorStation {
    /// Pours `action`, and returns the value of the first action with the case `result` that its work pours.
    ///
    /// It behaves like the same method of ``Station``.
    public func pour<Value: Sendable>(_ action: Action, returning result: Case<Action, Value>) async throws -> Value {
        try await host.pour(action, returning: result.extract)
    }

    /// Pours `action`, and returns or throws the value of the first action with the case `result` that its work pours.
    ///
    /// Use it for actions that hold a `Result`, such as the actions of ``Effect/outcome(of:as:)``. It behaves like the
    /// method for other values in all other respects.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Result<Value, any Error>>
    ) async throws -> Value {
        try await host.pour(action, returning: result.extract).get()
    }
}

extension ActorStation where State: Sendable {
    /// The current state, followed by the state after each action that changes it.
    ///
    /// - Parameter limit: Maximum number of buffered elements. If the buffer is full, the oldest element is dropped, so
    ///   the last element is never lost.
    /// - Returns: The states, for one consumer. The sequence ends when the station is released.
    public func states(limit: Int = 64) async -> some AsyncSequence<State, Never> & Sendable {
        await host.perform { $0.makeStream(limit: limit, $0.subscribe(by:)) }
    }
}

extension ActorStation {
    /// Each reduced action, with the properties that it has changed.
    ///
    /// - Parameter limit: Maximum number of buffered elements. If the buffer is full, the oldest element is dropped.
    /// - Returns: The reductions, for one consumer. The sequence ends when the station is released.
    public func changes(limit: Int = 64) async -> some AsyncSequence<Reduction<Action>, Never> & Sendable {
        await host.perform { $0.changes(limit: limit) }
    }
}

extension ActorStation {
    /// Names of the subscriptions that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] {
        get async { await host.perform(\.subscriptionNames) }
    }
}

/// The actor of an ``ActorStation``. Running effects retain it, but not the station.
actor StationHost<State, Action: Sendable> {
    private let core: StationCore<State, Action>

    init(_ makeCore: () -> sending StationCore<State, Action>, runningEffects: RunningEffects) {
        let core = makeCore()
        let hasSubscriptions = core.hasSubscriptions
        self.core = core
        runningEffects.attach(self)
        // An initializer isn't isolated to its actor. The task keeps the host, but not the station, until it has run.
        if hasSubscriptions { Task { await self.perform { $0.startSubscriptions() } } }
    }

    /// Calls `body` with the core on this actor.
    func perform<Result: Sendable>(
        _ body: @Sendable (StationCore<State, Action>) throws -> Result
    ) rethrows -> Result {
        try body(core)
    }

    func pour<Value: Sendable>(
        _ action: Action,
        returning extract: @escaping @Sendable (Action) -> Value?
    ) async throws -> Value {
        try await core.pour(action, returning: extract)
    }
}

extension StationCore {
    /// Returns the reductions from now on; the stream ends when the core is released.
    func changes(limit: Int) -> AsyncStream<Reduction<Action>> { makeStream(limit: limit, subscribeToChanges(by:)) }

    /// Returns the elements that the core delivers to the closure of `subscribe`, until the core is released.
    func makeStream<Element: Sendable>(
        limit: Int,
        _ subscribe: (@escaping (Element) -> Bool) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let end = StreamEnd(continuation)
        subscribe { element in
            if case .terminated = end.continuation.yield(element) { false } else { true }
        }
        return stream
    }
}
