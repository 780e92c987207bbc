//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceDomain
@testable import HeadraceRelay
@testable import HeadraceStorage

@Suite(.timeLimit(.minutes(1))) struct KeyedTurnsTests {
    private let turns = KeyedTurns()
    private let executor = TestExecutor(seed: nil)
    private let gates = (0..<3).map { _ in Gate() }
    private let log = Log()

    /// Takes the turn of `key`, and keeps it until the gate `number` is open.
    private func take(_ key: String, _ number: Int) -> Task<Void, any Error> {
        let (turns, gate, log) = (turns, gates[number], log)
        return Task(executorPreference: executor) {
            try await turns.take(key) {
                log.add(number)
                await gate.pass()
            }
        }
    }

    @Test func equalKeysAreAdmittedOneAtATimeInTheOrderInWhichTheyCome() async throws {
        let tasks = (0..<3).map { take("key", $0) }

        for number in 0..<3 {
            // Every task has run as far as it can.
            await executor.idle()
            #expect(log.numbers == Array(0...number))
            gates[number].open()
            try await tasks[number].value
        }
    }

    @Test func otherKeysGoOnBesideIt() async throws {
        let tasks = [take("a", 0), take("b", 1), take("a", 2)]
        await executor.idle()

        #expect(log.numbers == [0, 1])

        gates.forEach { $0.open() }
        for task in tasks { try await task.value }
        #expect(log.numbers == [0, 1, 2])
    }

    @Test func aTaskThatIsCancelledWhileItWaitsHoldsNobodyUp() async throws {
        let tasks = (0..<3).map { take("key", $0) }
        await executor.idle()

        tasks[1].cancel()
        await executor.idle()
        #expect(log.numbers == [0])
        gates.forEach { $0.open() }
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        for number in [0, 2] { try await tasks[number].value }

        #expect(log.numbers == [0, 2])
    }
}

private final class Log: Sendable {
    private let state = Mutex<[Int]>([])

    var numbers: [Int] { state.withLock(\.self) }

    func add(_ number: Int) {
        state.withLock { $0.append(number) }
    }
}
