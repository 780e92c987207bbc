// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import Observation

/// A store of state on the main actor.
///
/// Only poured actions change the state.
///
/// ```swift
/// let station = Station(initialState: Counter.State()) {
///     Counter()
/// }
/// station.pour(.increase)
/// print(station.count)
/// ```
///
/// To pour an action means to send it: ``pour(_:)`` reduces the action before it returns. Effects begin afterwards, on the
/// main actor, and are cancelled when the station is released. An action that is poured while another action is reduced,
/// for example by an observer, is queued and reduced afterwards.
///
/// If the state is an `@Observable` class, observers observe its properties. If the state is a struct, observation covers
/// the station as a whole: observers that read any part of the state are notified after the next action. If the struct is
/// `Equatable`, they are notified only if the action has changed the state.
@MainActor
@dynamicMemberLookup
public final class Station<State, Action: Sendable> {
    @usableFromInline let core: StationCore<State, Action>

    private let runningEffects: RunningEffects
    private let registrar = ObservationRegistrar()
    private let isObject: Bool

    /// Creates a station.
    ///
    /// The body of `dripper` is read only here.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - middleware: The middleware, the outermost first. Effects pass through all of it. Actions are reduced
    ///     synchronously, so they pass only through middleware that is an `ActionMiddleware`.
    ///   - observers: Observers that are notified of each action and each effect.
    ///   - clock: The clock for `debounce`, `throttle`, `timer`, and deadlines.
    ///   - dripper: The drippers that reduce the actions.
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
        if core.hasSubscriptions { core.startSubscriptions() }
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

    /// The state.
    ///
    /// Only actions change it.
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
    /// - Returns: The task of the action, with which you can wait for its effects or cancel them.
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

/// The station of the dripper `D`, as in `let station: StationOf<Counter>`.
public typealias StationOf<D: Dripper> = Station<D.State, D.Action>
