//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import Observation

/// Holds state that only poured actions change, on the main actor.
///
/// ```swift
/// let station = Station(initialState: Counter.State()) {
///     Counter()
/// }
/// station.pour(.increase)
/// print(station.count)
/// ```
///
/// ``pour(_:)`` reduces at once: when it returns, the state has changed. Effects begin afterwards, on the main actor, and
/// are cancelled when the station is released. An action that is poured while another one is being reduced, from an
/// observation for instance, is reduced right after it and after those that wait already.
///
/// A state that is an `@Observable` class is observed by its properties. For a state that is a struct, the station is
/// what is observed: who has read of it is told after the next action, and, where the state is `Equatable`, only if that has
/// changed it.
@MainActor
@dynamicMemberLookup
public final class Station<State, Action: Sendable> {
    @usableFromInline let core: StationCore<State, Action>

    private let runningEffects: RunningEffects
    private let registrar = ObservationRegistrar()
    private let isObject: Bool

    /// Creates a station, and the nodes of `dripper`, whose body is not asked for again.
    ///
    /// - Parameters:
    ///   - initialState: What the state is before the first action.
    ///   - middleware: What wraps actions and effects, the outermost first. Actions are reduced within the call that pours
    ///     them, and are wrapped only by those that are an `ActionMiddleware`; effects are wrapped by all.
    ///   - observers: Are told of each action and each effect.
    ///   - clock: What `debounce`, `throttle` and `timer` go by, and deadlines.
    ///   - dripper: What reduces the actions.
    public init<D: Dripper>(
        initialState: @autoclosure () -> State,
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock(),
        @DripperBuilder<State, Action> dripper: () -> D
    ) where D.State == State, D.Action == Action {
        runningEffects = RunningEffects()
        runningEffects.attach(MainActor.shared)
        core = StationCore(
            state: initialState(),
            dripper: dripper(),
            options: StationOptions(middleware: middleware, observers: observers, clock: clock),
            runningEffects: runningEffects
        )
        isObject = State.self is AnyObject.Type
        if !isObject { core.stateDidChange = { [weak self] in self?.notifyObservers() } }
    }

    /// Creates a station without the builder.
    public convenience init(
        initialState: @autoclosure () -> State,
        dripper: some Dripper<State, Action>
    ) {
        self.init(initialState: initialState()) { Drippers(dripper) }
    }

    deinit {
        runningEffects.cancel()
    }

    /// The state; only actions change it.
    public var state: State {
        access()
        return core.state
    }

    /// A property of the state.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
        access()
        return core.state[keyPath: keyPath]
    }

    /// Reduces `action` before it returns, and starts its effects.
    ///
    /// - Returns: What the action has started, to be awaited or cancelled, or thrown away.
    @discardableResult
    @inlinable
    public func pour(_ action: Action) -> PourTask {
        core.pour(action)
    }

    private func access() {
        if isObject { return }
        registrar.access(self, keyPath: \.state)
        core.status.insert(.isRead)
    }

    private func notifyObservers() {
        registrar.withMutation(of: self, keyPath: \.state) {}
    }
}

extension Station: Observable {}

/// The station of the dripper `D`: `let station: StationOf<Counter>`.
public typealias StationOf<D: Dripper> = Station<D.State, D.Action>
