// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import HeadraceTesting
import Synchronization
import Testing

/// Ten thousand concurrent dispatches, some of which are cancelled at random.
@Suite(.timeLimit(.minutes(2))) struct DispatchCancellationTests {
    /// One composition of the dispatcher.
    struct Setup: CustomTestStringConvertible {
        let testDescription: String
        var middleware: [any Middleware] = []
        var scoping = DispatchScoping.dispatcher

        static let all = [
            Setup(testDescription: "plain"),
            Setup(testDescription: "a scope each", scoping: .perDispatch),
            Setup(testDescription: "middleware", middleware: [PassThrough()]),
            Setup(testDescription: "middleware, a scope each", middleware: [PassThrough()], scoping: .perDispatch),
            Setup(testDescription: "middleware that checks for cancellation", middleware: [Guarding(), PassThrough()]),
        ]
    }

    @Test(arguments: Setup.all, [1, 2] as [UInt64])
    func eitherTheHandlerRunsToItsEndOrTheCallerGetsAnError(
        setup: Setup,
        seed: UInt64
    ) async throws {
        let count = 10_000
        let tally = Tally(count: count)
        let contracts = container(
            commandHandlers: [WorkHandler.self],
            middleware: setup.middleware,
            scoping: setup.scoping
        ) { builder in
            builder.singleton { tally }
        }
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()
        var generator = SeededGenerator(seed: seed)
        var tasks: [Task<Void, any Error>] = []
        var cancelled: Set<Int> = []

        for number in 0..<count {
            tasks.append(
                Task {
                    do {
                        try await dispatcher.dispatch(Work(number: number))
                        tally.record(.returned, number)
                    } catch is CancellationError {
                        tally.record(.threw, number)
                    }
                }
            )
            // One of the latest, which runs or waits to; or one of all, which may have ended long ago.
            if Bool.random(using: &generator) {
                let earliest = Bool.random(using: &generator) ? max(0, number - 8) : 0
                let victim = Int.random(in: earliest...number, using: &generator)
                cancelled.insert(victim)
                tasks[victim].cancel()
            }
        }
        for task in tasks { try await task.value }

        let outcomes = tally.outcomes
        #expect(outcomes.count == count)
        let odd = outcomes.indices.filter { ![[.finished, .returned], [.threw]].contains(outcomes[$0]) }
        #expect(odd.isEmpty, "seed \(seed): \(odd.prefix(3).map { outcomes[$0] })")
        // Those that nobody cancelled are carried out, every one of them.
        let lost = outcomes.indices.filter { !cancelled.contains($0) && outcomes[$0] != [.finished, .returned] }
        #expect(lost.isEmpty, "seed \(seed): \(lost.prefix(3))")
        #expect(cancelled.count > count / 4)
    }

    @Test func whatIsCancelledBeforehandIsToldToItsHandler() async throws {
        let tally = Tally(count: 1)
        let contracts = container(commandHandlers: [WorkHandler.self]) { builder in
            builder.singleton { tally }
        }
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { try await dispatcher.dispatch(Work(number: 0)) }
                try await group.waitForAll()
            }
        }

        #expect(tally.outcomes == [[]])
    }
}

/// The outcome of each dispatch.
private final class Tally: Sendable {
    enum Mark { case finished, returned, threw }

    private let marks: Mutex<[[Mark]]>

    init(count: Int) {
        marks = Mutex(Array(repeating: [], count: count))
    }

    var outcomes: [[Mark]] { marks.withLock(\.self) }

    func record(_ mark: Mark, _ number: Int) {
        marks.withLock { $0[number].append(mark) }
    }
}

/// Refuses what is cancelled already.
private struct Guarding: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try Task.checkCancellation()
        return try await next(message)
    }
}

private struct Work: CQDCommand {
    var number: Int
}

private final class WorkHandler: HandlesCommand, Resolvable {
    private let tally: Tally

    init(scope: any DependencyResolutionScope) {
        tally = scope.resolve()
    }

    func handle(_ command: Work) async throws {
        // Suspends, so that a cancellation may come in between.
        for _ in 0..<command.number % 5 { await Task {}.value }
        try Task.checkCancellation()
        tally.record(.finished, command.number)
    }
}
