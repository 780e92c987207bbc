// SPDX-License-Identifier: Apache-2.0

import CustomDump
import HeadraceCore
import HeadraceStations
import Synchronization

/// The actor of a ``TestStation``. It reduces actions, records the reductions, and compares them with the expectations.
actor TestHost<State, Action: Sendable> {
    /// A reduction that hasn't been asserted yet.
    private struct RecordedReduction {
        let action: Action

        /// The state after the reduction, as text.
        let text: String

        /// The state after the reduction; `nil` if the state is an object.
        let state: State?

        /// Number of reductions so far, including this reduction.
        let count: Int
    }

    /// How the station got an action.
    private enum Occasion: String { case poured, received }

    nonisolated let executor: TestExecutor
    private let core: StationCore<State, Action>
    private let makeState: @Sendable () -> State
    private let makeReplay: @Sendable (ActionJournal<Action>) -> ActionReplay<State, Action>
    private let isObject = State.self is AnyObject.Type
    private let unstable: Set<[String]>

    /// The state that the test expects.
    private var expected: State

    private var journal = ActionJournal<Action>()
    private var poured: RecordedReduction?
    private var received: [RecordedReduction] = []
    private var failures: [String] = []
    private var results: [AwaitedTestResult] = []
    private var assertedSubscriptions: [String] = []

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
        core = StationCore(
            state: makeState(),
            dripper: makeDripper(),
            options: StationOptions(
                middleware: middleware, observers: observers, clock: clock, taskExecutor: executor),
            runningEffects: runningEffects
        )
        if State.self is AnyObject.Type {
            expected = makeState()
            unstable = StateDump(of: core.state).unstablePaths(comparedWith: StateDump(of: expected))
        } else {
            expected = core.state
            unstable = []
        }
        runningEffects.attach(self)
    }

    /// Starts recording.
    ///
    /// It must be called once, before the first action.
    func start() {
        core.addReductionObserver { [weak self] _, action, source, _ in
            self?.assumeIsolated { $0.note(action, isPoured: source == .program) }
        } failed: { [weak self] error, action in
            let effect = action.map { "An effect of '\($0)'" } ?? "A subscription of the initial state"
            let failure = "\(effect) failed with an error that isn't caught: \(error)"
            self?.assumeIsolated { $0.failures.append(failure) }
        }
        core.startSubscriptions()
    }

    private func note(_ action: Action, isPoured: Bool) {
        journal.actions.append(action)
        let reduction = RecordedReduction(
            action: action,
            text: text(of: core.state),
            state: isObject ? nil : core.state,
            count: journal.actions.count
        )
        if isPoured { poured = reduction } else { received.append(reduction) }
    }

    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value { body(core.state) }

    /// Returns the new failures of effects, and forgets them.
    func takeFailures() -> [String] {
        defer { failures = [] }
        return failures
    }

    /// The received actions that haven't been asserted.
    var unasserted: [Action] { received.map(\.action) }

    func skipReceived() {
        if let last = received.last { expectNow(last) }
        received = []
    }

    /// Reduces `action`, and returns the differences from the expected state.
    func pour(
        _ action: Action,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> (task: PourTask, problems: [String]) {
        pour(action, exhaustivity, assert) { core.pour($0) }
    }

    /// Reduces `action` by `pour`, and returns the differences from the expected state.
    private func pour(
        _ action: Action,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?,
        by pour: (Action) -> PourTask
    ) -> (task: PourTask, problems: [String]) {
        var problems: [String] = []
        if exhaustivity == .on, let last = received.last {
            problems.append(
                """
                '\(action)' was poured while \(received.count) received actions were not asserted: \
                \(received.map { "'\($0.action)'" }.joined(separator: ", ")). To fix, call 'receive' for each of them first.
                """
            )
            expectNow(last)
            received = []
        }
        poured = nil
        let task = pour(action)
        guard let reduction = poured else {
            problems.append("'\(action)' was not reduced, because a middleware refused it.")
            return (task, problems)
        }
        if exhaustivity == .off { skip(before: reduction) }
        problems += check(reduction, .poured, exhaustivity, assert)
        return (task, problems)
    }

    /// Reduces `action` like the method without a result, and returns the index of its result.
    func pour<Value: Sendable>(
        _ action: Action,
        returning extract: @escaping @Sendable (Action) -> Value?,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> (index: Int, problems: [String]) {
        let (_, problems) = pour(action, exhaustivity, assert) { action in
            let result = core.begin(action, returning: extract).result
            results.append(AwaitedTestResult(action: "\(action)") { try result.get() })
            return PourTask(result.completion)
        }
        return (results.count - 1, problems)
    }

    /// Returns the result with an index, and marks it as asserted.
    func result(_ index: Int) throws -> any Sendable {
        results[index].isAsserted = true
        return try results[index].get()
    }

    /// Number of tasks of subscriptions that are running.
    var subscriptionTaskCount: Int { core.subscriptionTaskCount }

    /// Marks the running subscriptions as asserted, and returns their names.
    func assertSubscriptions() -> [String] {
        assertedSubscriptions = core.subscriptionNames
        return assertedSubscriptions
    }

    /// A problem if the running subscriptions aren't those that were asserted last.
    var problemsOfSubscriptions: [String] {
        let running = core.subscriptionNames
        if running == assertedSubscriptions { return [] }
        return [
            """
            The running subscriptions \(running) were not asserted. To fix, call 'expectSubscriptions' before 'finish'.
            """
        ]
    }

    /// A problem for each result that the test hasn't read.
    var problemsOfResults: [String] {
        results.filter { !$0.isAsserted }.map { result in
            """
            The result of '\(result.action)' was not asserted. To fix, read the 'value' that 'pour(_:returning:)' has \
            returned.
            """
        }
    }

    /// Asserts the next received action.
    ///
    /// With ``Exhaustivity/off``, it skips actions that don't match.
    func receive(
        _ exhaustivity: Exhaustivity,
        matching isMatch: @Sendable (Action) -> Bool,
        describing: @Sendable (Action?) -> String,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> [String] {
        if exhaustivity == .off {
            guard let index = received.firstIndex(where: { isMatch($0.action) }) else { return [describing(nil)] }
            let reduction = received[index]
            received.removeFirst(index + 1)
            return check(reduction, .received, exhaustivity, assert)
        }
        guard !received.isEmpty else { return [describing(nil)] }
        let reduction = received.removeFirst()
        let problems = isMatch(reduction.action) ? [] : [describing(reduction.action)]
        return problems + check(reduction, .received, exhaustivity, assert)
    }

    /// Compares the state after `reduction` with the expected state.
    private func check(
        _ reduction: RecordedReduction,
        _ occasion: Occasion,
        _ exhaustivity: Exhaustivity,
        _ assert: (@Sendable (inout State) throws -> Void)?
    ) -> [String] {
        if exhaustivity == .off {
            guard assert != nil else { return [] }
            expectNow(reduction)
        }
        do {
            try assert?(&expected)
        } catch {
            expectNow(reduction)
            return ["\(name(of: reduction, occasion)), the assertion of the test threw an error: \(error)"]
        }
        let expectedText = text(of: expected)
        if expectedText == reduction.text { return [] }
        let difference = diff(expectedText, reduction.text) ?? ""
        expectNow(reduction)
        return [
            """
            \(name(of: reduction, occasion)), the state differs from the expected state:

            \(difference)

            (expected: −, actual: +)
            """
        ]
    }

    /// The words for a reduction in a message; only made for a failure, because describing an action takes long.
    private func name(of reduction: RecordedReduction, _ occasion: Occasion) -> String {
        "After '\(reduction.action)' was \(occasion.rawValue)"
    }

    /// Sets the expected state to the state after `reduction`.
    private func expectNow(_ reduction: RecordedReduction) {
        if let state = reduction.state {
            expected = state
        } else {
            let replay = makeReplay(ActionJournal(Array(journal.actions.prefix(reduction.count))))
            replay.go(to: replay.count)
            expected = replay.state
        }
    }

    private func skip(before reduction: RecordedReduction) {
        received.removeAll { $0.count < reduction.count }
    }

    private func text(of state: State) -> String {
        StateDump(of: state).text(without: unstable)
    }
}

/// Whether a test has begun to use its station, and whether it has finished.
final class TestProgress: Sendable {
    private let state = Mutex((hasBegun: false, hasEnded: false))

    /// Whether the test has begun and not ended.
    var isOpen: Bool { state.withLock { $0.hasBegun && !$0.hasEnded } }

    /// Marks the test as begun.
    ///
    /// Returns `false` if it already was.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    /// Marks the test as ended.
    func end() {
        state.withLock { $0.hasEnded = true }
    }
}

/// The extent to which a test must assert the behavior of its station.
public struct Exhaustivity: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case on, off }

    let kind: Kind

    /// The test must assert each change of the state, receive each action of an effect, and end each effect.
    public static let on = Exhaustivity(kind: .on)

    /// The test asserts only the named properties and actions.
    ///
    /// Other changes, actions, and running effects are ignored.
    public static let off = Exhaustivity(kind: .off)
}
