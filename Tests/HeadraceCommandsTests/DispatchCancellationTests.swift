//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Synchronization
import Testing

/// Ten thousand dispatches at once, some of which are cancelled at any moment.
@Suite(.timeLimit(.minutes(5))) struct DispatchCancellationTests {
    @Test(arguments: [[], [PassThrough()], [Guarding(), PassThrough()]] as [[any Middleware]])
    func eachHandlerRunsToItsEndOrTheCallerGetsAnErrorNeverNeitherNeverBoth(
        middleware: [any Middleware]
    ) async throws {
        let count = 10_000
        let tally = Tally(count: count)
        let contracts = container(commandHandlers: [WorkHandler.self], middleware: middleware) { builder in
            builder.singleton { tally }
        }
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let tasks = (0..<count).map { number in
            Task {
                do {
                    try await dispatcher.dispatch(Work(number: number))
                    tally.record(.returned, number)
                } catch is CancellationError {
                    tally.record(.threw, number)
                }
            }
        }
        // Two in three, at whatever moment each of them has come to.
        for (number, task) in tasks.enumerated() where !number.isMultiple(of: 3) { task.cancel() }
        for task in tasks { try await task.value }

        let outcomes = tally.outcomes
        #expect(outcomes.count == count)
        #expect(outcomes.allSatisfy { $0 == [.finished, .returned] || $0 == [.threw] })
        // Those that nobody cancelled are carried out, every one of them.
        for number in stride(from: 0, to: count, by: 3) {
            #expect(outcomes[number] == [.finished, .returned])
        }
    }
}

/// What became of each of the dispatches.
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
