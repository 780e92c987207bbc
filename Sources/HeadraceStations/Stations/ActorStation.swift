// SPDX-License-Identifier: Apache-2.0

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
        clock: any TimeSource = ContinuousClock(),
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
        await host.pour(action)
    }

    /// A property of the state.
    public subscript<Value: Sendable>(dynamicMember keyPath: any KeyPath<State, Value> & Sendable) -> Value {
        get async { await host.read { $0[keyPath: keyPath] } }
    }

    /// Calls `body` with the state on the station's actor, and returns its result.
    public func read<Value: Sendable>(_ body: @Sendable (State) -> Value) async -> Value {
        await host.read(body)
    }
}

extension ActorStation where State: Sendable {
    /// The state.
    public var state: State {
        get async { await host.read { $0 } }
    }
}

/// The actor station of the dripper `D`, as in `let station: ActorStationOf<Counter>`.
public typealias ActorStationOf<D: Dripper> = ActorStation<D.State, D.Action>
