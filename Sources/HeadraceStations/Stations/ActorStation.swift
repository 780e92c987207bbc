//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Holds state that only poured actions change, on an actor of its own: a ``Station`` for servers.
///
/// ```swift
/// let station = ActorStation(initialState: Counter.State()) { Counter() }
/// await station.pour(.increase)
/// print(await station.count)
/// ```
///
/// The drippers are the same, and so is what is promised: when ``pour(_:)`` returns, the state has changed; effects begin
/// afterwards, on the station's actor, and are cancelled when the station is released. The main actor has no part in it.
@dynamicMemberLookup
public final class ActorStation<State, Action: Sendable>: Sendable {
    let host: StationHost<State, Action>
    private let runningEffects: RunningEffects

    /// Creates a station, and the nodes of `dripper`, whose body is not asked for again.
    ///
    /// The parameters are those of ``Station/init(initialState:middleware:observers:clock:dripper:)``.
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
    /// - Returns: What the action has started, to be awaited or cancelled, or thrown away.
    @discardableResult
    public func pour(_ action: Action) async -> PourTask {
        await host.pour(action)
    }

    /// A property of the state.
    public subscript<Value: Sendable>(dynamicMember keyPath: any KeyPath<State, Value> & Sendable) -> Value {
        get async { await host.read { $0[keyPath: keyPath] } }
    }

    /// Gives the state to `body`, on the station's actor, and returns what that makes of it.
    public func read<Value: Sendable>(_ body: @Sendable (State) -> Value) async -> Value {
        await host.read(body)
    }
}

extension ActorStation where State: Sendable {
    /// The state, which may leave the actor.
    public var state: State {
        get async { await host.read { $0 } }
    }
}

/// The actor station of the dripper `D`.
public typealias ActorStationOf<D: Dripper> = ActorStation<D.State, D.Action>
