// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceStations

/// A station for tests.
///
/// A test asserts the changes of each action, and the actions that effects send back.
///
/// ```swift
/// let station = TestStation(initialState: Counter.State()) { Counter() }
///
/// await station.pour(.increase) { $0.count = 1 }
/// await station.pour(.load)
/// await station.advance(by: .seconds(1))
/// await station.receive(.loaded(5)) { $0.count = 5 }
/// await station.finish()
/// ```
///
/// The test compares the complete state, even of an observable class that isn't `Equatable`. It ignores properties that
/// differ for each instance, such as a UUID that `init` creates.
///
/// Time stands still until ``advance(by:fileID:filePath:line:column:)``. The station has its own executor, and each method
/// returns when all effects have ended or wait. The executor knows this state exactly, so no method sleeps, yields, or times
/// out, and parallel tests don't affect each other. The executor doesn't see code that an effect runs on an actor with a
/// custom executor, such as the main actor.
public final class TestStation<State, Action: Sendable>: Sendable {
    /// The clock of the station.
    ///
    /// Only ``advance(by:fileID:filePath:line:column:)`` may advance it.
    public let clock: TestClock

    let exhaustivity: Exhaustivity
    let executor: TestExecutor
    let host: TestHost<State, Action>
    private let runningEffects = RunningEffects()
    private let location: IssueSink.Location
    private let progress = TestProgress()

    /// Creates a station.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action. If `State` is a class, the expression is evaluated several times.
    ///   - exhaustivity: Whether the test must assert all changes, actions, and effects.
    ///   - middleware: The middleware of the station.
    ///   - observers: The observers of the station.
    ///   - clock: The clock for effects. The test must not advance it directly.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    ///   - dripper: The dripper (the reducer) of the station.
    public init<D: Dripper>(
        initialState: @autoclosure @escaping @Sendable () -> State,
        exhaustivity: Exhaustivity = .on,
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: TestClock = TestClock(),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        @DripperBuilder<State, Action> dripper: @escaping @Sendable () -> D
    ) where D.State == State, D.Action == Action {
        self.clock = clock
        self.exhaustivity = exhaustivity
        location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        executor = TestExecutor(seed: ScheduleSeed.current)
        host = TestHost(
            executor: executor,
            runningEffects: runningEffects,
            clock: clock,
            middleware: middleware,
            observers: observers,
            makeState: initialState,
            makeDripper: dripper
        )
    }

    deinit {
        runningEffects.cancel()
        if exhaustivity == .on, progress.isOpen {
            IssueSink.current.report(
                "The test ended without 'await station.finish()'. To fix, call it at the end of the test.",
                location
            )
        }
    }

    /// Pours (sends) `action`, and asserts the state after its reduction.
    ///
    /// The method returns when all effects have ended or wait.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - assert: Applies the expected changes to the state before the action. Without it, the state must not change. With
    ///     ``Exhaustivity/off``, it receives the state after the action, and each value that it sets must equal the current
    ///     value.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    /// - Returns: The effects of the action.
    @discardableResult
    public func pour(
        _ action: Action,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> PourTask {
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        await begin()
        let (task, problems) = await host.pour(action, exhaustivity, assert)
        await executor.idle()
        await report(problems, at: location)
        return task
    }

    /// Asserts that `action` is the next action of an effect, and asserts the state after its reduction.
    ///
    /// - Parameters:
    ///   - action: The expected action. With ``Exhaustivity/off``, actions before it are skipped.
    ///   - assert: Applies the expected changes; see ``pour(_:assert:fileID:filePath:line:column:)``.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    public func receive(
        _ action: Action,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: Equatable {
        await receive(
            { "'\(action)'" },
            where: { $0 == action },
            assert,
            IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Asserts that the next action of an effect matches `predicate`, and asserts the state after its reduction.
    public func receive(
        where predicate: @escaping @Sendable (Action) -> Bool,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await receive(
            { "an action that matches the predicate" },
            where: predicate,
            assert,
            IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Advances the clock from deadline to deadline.
    ///
    /// At each deadline, it waits until all effects have ended or wait.
    ///
    /// When a task wakes, the time is its deadline. So a timer fires as often as it would in real time.
    public func advance(
        by duration: Duration,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await begin()
        await executor.idle()
        var rest = duration
        while let next = clock.remainingSleeps.first, next <= rest {
            clock.advance(by: next)
            rest -= next
            await executor.idle()
        }
        clock.advance(by: rest)
        await executor.idle()
        await report([], at: IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Marks all received actions as asserted.
    public func skipReceivedActions() async {
        await executor.idle()
        await host.skipReceived()
    }

    /// Ends the test, and asserts that no effect is running, and all received actions, running subscriptions,
    /// and results were asserted.
    public func finish(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await begin()
        progress.end()
        await executor.idle()
        var problems: [String] = []
        if exhaustivity == .on {
            let unasserted = await host.unasserted
            if !unasserted.isEmpty {
                problems.append(
                    """
                    \(unasserted.count) received actions were not asserted: \
                    \(unasserted.map { "'\($0)'" }.joined(separator: ", ")). To fix, call 'receive' for each of them.
                    """
                )
            }
            problems += await host.problemsOfResults
            problems += await host.problemsOfSubscriptions
            let count = runningEffects.count - (await host.subscriptionTaskCount)
            if count > 0 {
                problems.append(
                    """
                    \(count) effects are still running\(sleeps). To fix, advance the clock until they end, or \
                    cancel them with an action.
                    """
                )
            }
        }
        await report(problems, at: IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column))
        runningEffects.cancel()
        await executor.idle()
    }

    /// Returns the result of `body` for the current state.
    public func read<Value: Sendable>(_ body: @Sendable (State) -> Value) async -> Value {
        await executor.idle()
        return await host.read(body)
    }

    private var sleeps: String {
        let sleeps = clock.remainingSleeps
        return sleeps.isEmpty ? "" : ", sleeping for \(sleeps)"
    }

    func begin() async {
        if progress.begin() { await host.start() }
    }

    private func receive(
        _ expected: @escaping @Sendable () -> String,
        where predicate: @escaping @Sendable (Action) -> Bool,
        _ assert: (@Sendable (inout State) throws -> Void)?,
        _ location: IssueSink.Location
    ) async {
        await begin()
        await executor.idle()
        let count = runningEffects.count
        let sleeps = sleeps
        let problems = await host.receive(
            exhaustivity,
            matching: predicate,
            describing: { action in
                guard let action else {
                    return
                        "Expected to receive \(expected()), but no effect sent it. \(count) effects are running\(sleeps)."
                }
                return "Expected to receive \(expected()), but received '\(action)'."
            },
            assert
        )
        await report(problems, at: location)
    }

    func report(_ problems: [String], at location: IssueSink.Location) async {
        let failures = await host.takeFailures()
        for problem in problems + failures { IssueSink.current.report(problem, location) }
    }
}

extension TestStation {
    /// Pours `action`, asserts the state after its reduction, and awaits its result.
    ///
    /// The test must read the ``TestResult/value`` before ``finish(fileID:filePath:line:column:)``. It must receive the action
    /// that holds the result, too.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - result: The case whose value is the result.
    ///   - assert: Applies the expected changes; see ``pour(_:assert:fileID:filePath:line:column:)``.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    /// - Returns: The result.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Value>,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestResult<Value> {
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        await begin()
        let (index, problems) = await host.pour(action, returning: result.value(in:), exhaustivity, assert)
        await executor.idle()
        await report(problems, at: location)
        return TestResult { [host, executor] in
            await executor.idle()
            guard let value = try await host.result(index) as? Value else {
                preconditionFailure("A result has another type than its action.")
            }
            return value
        }
    }
}

extension TestStation {
    /// Asserts that exactly the subscriptions with `ids` are running.
    ///
    /// At the end of the test, the running subscriptions must be those that were asserted last; none if the test has asserted
    /// none.
    ///
    /// - Parameters:
    ///   - ids: The ids, in any order. They are compared as text.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    public func expectSubscriptions(
        _ ids: (any Hashable & Sendable)...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await begin()
        await executor.idle()
        let running = await host.assertSubscriptions()
        let expected = ids.map { "\($0)" }.sorted()
        let problems =
            running == expected
            ? [] : ["Expected that the subscriptions \(expected) are running, but \(running) are running."]
        await report(
            problems,
            at: IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}
