// SPDX-License-Identifier: Apache-2.0

import DequeModule
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
        clock: any TimeSource = CurrentClock(),
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

    /// Creates a station of one dripper, without middleware and observers.
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

    /// A property of the state, as in `station.count`.
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

extension Station {
    /// Pours `action`, and returns the value of the first action with the case `result` that its work pours.
    ///
    /// ```swift
    /// let score = try await station.pour(.load, returning: Game.Action.toLoaded)
    /// ```
    ///
    /// The work is the effects of the action, the actions that they pour, and so on. `action` itself isn't a result. The
    /// method returns when the result was reduced; other work of the action goes on. Cancelling the calling task
    /// cancels the work. The call keeps the station alive.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - result: The case whose value is the result.
    /// - Returns: The value.
    /// - Throws: If the work ends without a result: the first error that an effect has thrown and not caught;
    ///   `MessageError` if a middleware refused an action; `CancellationError` if the work was cancelled;
    ///   ``StationError`` with the code `StationError.Code.noResult` otherwise.
    public func pour<Value: Sendable>(_ action: Action, returning result: Case<Action, Value>) async throws -> Value {
        try await core.pour(action, returning: result.extract)
    }

    /// Pours `action`, and returns or throws the value of the first action with the case `result` that its work pours.
    ///
    /// Use it for actions that hold a `Result`, such as the actions of ``Effect/outcome(of:as:)``. It behaves like the
    /// method for other values in all other respects.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Result<Value, any Error>>
    ) async throws -> Value {
        try await core.pour(action, returning: result.extract).get()
    }
}

extension Station {
    /// The current state, followed by the state after each action that changes it; see ``states(limit:)``.
    public var states: Feed<State> { states(limit: 64) }

    /// The current state, followed by the state after each action that changes it.
    ///
    /// If the state is an object, each element is that same object, so it has its current properties.
    ///
    /// - Parameter limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest
    ///   element is dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func states(limit: Int) -> Feed<State> {
        Feed(core, limit: limit) { core, take in core.subscribe(by: take) }
    }

    /// The current value of a property, followed by each new value.
    ///
    /// - Parameters:
    ///   - property: Key path of the property.
    ///   - limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest element is
    ///     dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func states<Value: Equatable>(of property: KeyPath<State, Value>, limit: Int = 64) -> Feed<Value> {
        Feed(core, limit: limit) { core, take in core.subscribe(to: property, by: take) }
    }

    /// Each reduced action, with the properties that it has changed; see ``changes(limit:)``.
    public var changes: Feed<Reduction<Action>> { changes(limit: 64) }

    /// Each reduced action, with the properties that it has changed.
    ///
    /// ```swift
    /// for await reduction in station.changes { print(reduction) }
    /// ```
    ///
    /// It costs nothing while no iterator exists.
    ///
    /// - Parameter limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest
    ///   element is dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func changes(limit: Int) -> Feed<Reduction<Action>> {
        Feed(core, limit: limit) { core, take in core.subscribeToChanges(by: take) }
    }
}

extension Station {
    /// Names of the subscriptions that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] { core.subscriptionNames }
}

/// Parameters of a station other than its state and its drippers.
package struct StationOptions: Sendable {
    var middleware: [any Middleware]
    var observers: [any MessageObserver]
    var clock: any TimeSource

    /// The executor for the nonisolated parts of effects; `nil` for the default executor.
    var taskExecutor: (any TaskExecutor)?

    package init(
        middleware: [any Middleware],
        observers: [any MessageObserver],
        clock: any TimeSource,
        taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.middleware = middleware
        self.observers = observers
        self.clock = clock
        self.taskExecutor = taskExecutor
    }
}

/// A sequence of the states or reductions of a ``Station``, for any number of consumers.
///
/// ```swift
/// for await state in station.states { render(state) }
/// ```
///
/// Each iterator has its own buffer. If the buffer is full, the oldest element is dropped, so the last element is never
/// lost. The feed ends after the buffered elements when the station is released. It isn't `Sendable` because it stays on
/// the main actor, as the station does.
public struct Feed<Element>: AsyncSequence {
    private let subscribe: () -> FeedBuffer<Element>

    init(_ subscribe: @escaping () -> FeedBuffer<Element>) {
        self.subscribe = subscribe
    }

    /// Creates a feed of the elements that `core` delivers to the closure of `subscribe`, until `core` is released.
    init<State, Action>(
        _ core: StationCore<State, Action>,
        limit: Int,
        _ subscribe: @escaping (StationCore<State, Action>, @escaping (Element) -> Bool) -> Void
    ) {
        self.init { [weak core] in
            let buffer = FeedBuffer<Element>(limit: limit)
            let end = buffer.makeEnd()
            guard let core else { return buffer }
            subscribe(core) { [weak buffer] element in
                _ = end
                guard let buffer else { return false }
                buffer.append(element)
                return true
            }
            return buffer
        }
    }

    /// Returns an iterator, which receives the elements from now on.
    public func makeAsyncIterator() -> Iterator {
        let buffer = subscribe()
        return Iterator(buffer: buffer, signals: buffer.signals.makeAsyncIterator())
    }

    /// An iterator over the elements in their order.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: FeedBuffer<Element>
        var signals: AsyncStream<Void>.Iterator

        /// Returns the next element; `nil` if the station was released or the task was cancelled.
        public mutating func next() async -> Element? {
            await next(isolation: #isolation)
        }

        /// Returns the next element; `nil` if the station was released or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                if let element = buffer.popFirst() { return element }
                guard await signals.next(isolation: actor) != nil else { return buffer.popFirst() }
            }
            return nil
        }
    }
}

@available(*, unavailable, message: "A feed stays on the actor of its station.")
extension Feed: Sendable {}

/// The buffered elements of an iterator, on the actor of the station.
final class FeedBuffer<Element> {
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let limit: Int
    private var elements: Deque<Element> = []

    init(limit: Int) {
        precondition(limit > 0, "A feed can't buffer \(limit) elements. To fix, pass a limit of 1 or more.")
        self.limit = limit
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ element: Element) {
        if elements.count == limit { elements.removeFirst() }
        elements.append(element)
        signal.yield()
    }

    func popFirst() -> Element? {
        elements.popFirst()
    }

    /// Returns an object that ends the feed when it is released.
    func makeEnd() -> StreamEnd<Void> {
        StreamEnd(signal)
    }
}

/// Ends a stream when the closure that fills it is released.
final class StreamEnd<Element> {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}
