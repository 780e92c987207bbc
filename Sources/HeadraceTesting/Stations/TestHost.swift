//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CustomDump
import HeadraceCore
import HeadraceStations

/// The actor of a ``TestStation``: reduces, writes down what happens, and compares it with what was expected.
actor TestHost<State, Action: Sendable> {
    /// A reduction that is still to be asserted.
    private struct Event {
        let action: Action

        /// The state after it, as text.
        let text: String

        /// The state after it, where it is a value.
        let state: State?

        /// How many reductions there were, this one included.
        let count: Int
    }

    private nonisolated let executor: TestExecutor
    private let driver: StationDriver<State, Action>
    private let makeState: @Sendable () -> State
    private let makeReplay: @Sendable (ActionJournal<Action>) -> ActionReplay<State, Action>
    private let isObject = State.self is AnyObject.Type
    private let unstable: Set<[String]>

    /// What the test takes the state to be.
    private var expected: State

    private var journal = ActionJournal<Action>()
    private var poured: Event?
    private var received: [Event] = []
    private var failures: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init<D: Dripper>(
        executor: TestExecutor,
        runningEffects: RunningEffects,
        clock: TestClock,
        middleware: [any Middleware],
        observers: [any MessageObserver],
        makeState: @escaping @Sendable () -> State,
        makeDripper: @escaping @Sendable () -> D
    ) where D.State == State, D.Action == Action {
        self.executor = executor
        self.makeState = makeState
        makeReplay = { ActionReplay($0, initialState: makeState()) { makeDripper() } }
        driver = StationDriver(
            initialState: makeState(),
            middleware: middleware,
            observers: observers,
            clock: clock,
            taskExecutor: executor,
            runningEffects: runningEffects,
            dripper: makeDripper()
        )
        if State.self is AnyObject.Type {
            expected = makeState()
            unstable = StateText(of: driver.state).unstablePaths(comparedWith: StateText(of: expected))
        } else {
            expected = driver.state
            unstable = []
        }
        runningEffects.attach(self)
    }

    /// Begins to write down what happens; to be called once, before anything does.
    func start() {
        driver.observe { [weak self] state, action, isPoured in
            self?.assumeIsolated { $0.note(action, isPoured: isPoured) }
        } failed: { [weak self] error, action in
            let failure = "An effect of '\(action)' failed, and nothing has caught it: \(error)"
            self?.assumeIsolated { $0.failures.append(failure) }
        }
    }

    private func note(_ action: Action, isPoured: Bool) {
        journal.actions.append(action)
        let event = Event(
            action: action,
            text: text(of: driver.state),
            state: isObject ? nil : driver.state,
            count: journal.actions.count
        )
        if isPoured { poured = event } else { received.append(event) }
    }

    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value { body(driver.state) }

    /// What effects have failed with, once.
    func takeFailures() -> [String] {
        defer { failures = [] }
        return failures
    }

    /// The actions that were received and not asserted.
    var unasserted: [Action] { received.map(\.action) }

    func skipReceived() {
        if let last = received.last { expectNow(last) }
        received = []
    }

    /// Reduces `action`, and says what is different from what was expected.
    func pour(
        _ action: Action,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> (task: PourTask, problems: [String]) {
        var problems: [String] = []
        if exhaustivity == .on, let last = received.last {
            problems.append(
                """
                '\(action)' was poured while \(received.count) received actions were not asserted: \
                \(received.map { "'\($0.action)'" }.joined(separator: ", ")). To fix, receive them first.
                """
            )
            expectNow(last)
            received = []
        }
        poured = nil
        let task = driver.pour(action)
        guard let event = poured else {
            problems.append("'\(action)' was not reduced: a middleware has refused it.")
            return (task, problems)
        }
        if exhaustivity == .off { skip(before: event) }
        problems += check(event, "After '\(action)' was poured", exhaustivity, assert)
        return (task, problems)
    }

    /// Takes the next received action, or, where not all have to be asserted, the next that matches.
    func receive(
        _ exhaustivity: Exhaustivity,
        matching isMatch: @Sendable (Action) -> Bool,
        describing: @Sendable (Action?) -> String,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> [String] {
        if exhaustivity == .off {
            guard let index = received.firstIndex(where: { isMatch($0.action) }) else { return [describing(nil)] }
            let event = received[index]
            received.removeFirst(index + 1)
            return check(event, "After '\(event.action)' was received", exhaustivity, assert)
        }
        guard !received.isEmpty else { return [describing(nil)] }
        let event = received.removeFirst()
        let problems = isMatch(event.action) ? [] : [describing(event.action)]
        return problems + check(event, "After '\(event.action)' was received", exhaustivity, assert)
    }

    /// Compares the state after `event` with what is expected.
    private func check(
        _ event: Event,
        _ occasion: String,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> [String] {
        if exhaustivity == .off {
            guard assert != nil else { return [] }
            expectNow(event)
        }
        do {
            try assert?(&expected)
        } catch {
            expectNow(event)
            return ["\(occasion), what the test expects could not be said: \(error)"]
        }
        let expectedText = text(of: expected)
        if expectedText == event.text { return [] }
        let difference = diff(expectedText, event.text) ?? ""
        expectNow(event)
        return [
            """
            \(occasion), the state is not what the test expects:

            \(difference)

            (expected: −, is: +)
            """
        ]
    }

    /// Takes the state to be what it was after `event`.
    private func expectNow(_ event: Event) {
        if let state = event.state {
            expected = state
        } else {
            let replay = makeReplay(ActionJournal(Array(journal.actions.prefix(event.count))))
            replay.go(to: replay.count)
            expected = replay.state
        }
    }

    private func skip(before event: Event) {
        received.removeAll { $0.count < event.count }
    }

    private func text(of state: State) -> String {
        StateText(of: state).text(without: unstable)
    }
}
