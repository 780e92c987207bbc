//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceStations

/// A station for tests, which say what each action changes, and which actions come back.
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
/// The whole state is compared, whatever it is: an observable class without `Equatable` as well. A property that is
/// another one for each instance, such as a UUID made in `init`, is left out.
///
/// Time stands still until ``advance(by:fileID:filePath:line:column:)``, and the executor is the station's own: each of its methods returns when no effect
/// has anything left to do but to wait. That is a fact and no guess, so nothing here sleeps, yields or times out, and
/// stations of tests that run in parallel do not touch each other. Not seen is only what an effect does on
/// an actor with an executor of its own, the main actor for instance.
public final class TestStation<State, Action: Sendable>: Sendable {
    /// The clock of the station, which ``advance(by:fileID:filePath:line:column:)`` moves.
    public let clock: TestClock

    private let exhaustivity: Exhaustivity
    private let executor: TestExecutor
    private let host: TestHost<State, Action>
    private let runningEffects = RunningEffects()
    private let location: IssueSink.Location
    private let ending = Ending()

    /// Creates a station.
    ///
    /// - Parameters:
    ///   - initialState: What the state is before the first action. It is made several times where it is an object.
    ///   - exhaustivity: Whether all has to be asserted that happens.
    ///   - middleware: As of `Station`.
    ///   - observers: As of `Station`.
    ///   - clock: The clock; it is not to be moved by anybody else.
    ///   - fileID: Where the test is.
    ///   - filePath: Where the test is.
    ///   - line: Where the test is.
    ///   - column: Where the test is.
    ///   - dripper: What reduces the actions.
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
        executor = TestExecutor(seed: Schedule.seed)
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
        if exhaustivity == .on, ending.isOpen {
            IssueSink.current.report(
                "The test has ended without 'await station.finish()', which makes sure that nothing is left.",
                location
            )
        }
    }

    /// Reduces `action` and asserts the state after it.
    ///
    /// It returns when effects have nothing left to do but to wait.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - assert: Changes the state as the action is expected to. Without it, nothing is expected to change; where not
    ///     all has to be asserted, it is given the state after the action, and what it sets has to be so.
    ///   - fileID: Where the test is.
    ///   - filePath: Where the test is.
    ///   - line: Where the test is.
    ///   - column: Where the test is.
    /// - Returns: What the action has started.
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

    /// Asserts that an effect has sent or poured `action`, and the state after it.
    ///
    /// - Parameters:
    ///   - action: The next action that came back; where not all has to be asserted, those before it are passed over.
    ///   - assert: As of ``pour(_:assert:fileID:filePath:line:column:)``.
    ///   - fileID: Where the test is.
    ///   - filePath: Where the test is.
    ///   - line: Where the test is.
    ///   - column: Where the test is.
    public func receive(
        _ action: Action,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: Equatable {
        await receive(
            "'\(action)'",
            where: { $0 == action },
            assert,
            IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Asserts that an effect has sent or poured an action of which `predicate` is true, and the state after it.
    public func receive(
        where predicate: @escaping @Sendable (Action) -> Bool,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await receive(
            "an action of which the predicate is true",
            where: predicate,
            assert,
            IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Moves the clock, from one sleeper's deadline to the next, each time until effects have nothing left to do.
    ///
    /// Whoever wakes sees the clock at its own deadline, so that a timer beats exactly as often as it should.
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

    /// Takes all actions that came back as asserted.
    public func skipReceivedActions() async {
        await executor.idle()
        await host.skipReceived()
    }

    /// Ends the test: asserts that no effect is under way and that no action is left to be asserted.
    public func finish(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await begin()
        ending.close()
        await executor.idle()
        var problems: [String] = []
        if exhaustivity == .on {
            let unasserted = await host.unasserted
            if !unasserted.isEmpty {
                problems.append(
                    """
                    \(unasserted.count) received actions were not asserted: \
                    \(unasserted.map { "'\($0)'" }.joined(separator: ", ")). To fix, receive them.
                    """
                )
            }
            if runningEffects.count > 0 {
                problems.append(
                    """
                    \(runningEffects.count) effects are still under way\(sleeps). To fix, let them come to their end, or \
                    cancel them by an action.
                    """
                )
            }
        }
        await report(problems, at: IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column))
        runningEffects.cancel()
        await executor.idle()
    }

    /// Gives the state to `body`, and returns what that makes of it.
    public func read<Value: Sendable>(_ body: @Sendable (State) -> Value) async -> Value {
        await executor.idle()
        return await host.read(body)
    }

    private var sleeps: String {
        let sleeps = clock.remainingSleeps
        return sleeps.isEmpty ? "" : ", and the clock's sleepers wait for \(sleeps)"
    }

    private func begin() async {
        if ending.begin() { await host.start() }
    }

    private func receive(
        _ expected: String,
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
                        "Expected to receive \(expected), but no effect has sent it; \(count) are under way\(sleeps)."
                }
                return "Expected to receive \(expected), but received '\(action)'."
            },
            assert
        )
        await report(problems, at: location)
    }

    private func report(_ problems: [String], at location: IssueSink.Location) async {
        let failures = await host.takeFailures()
        for problem in problems + failures { IssueSink.current.report(problem, location) }
    }
}
