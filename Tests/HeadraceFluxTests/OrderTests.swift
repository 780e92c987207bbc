// SPDX-License-Identifier: Apache-2.0

import HeadraceFlux
import HeadraceTesting
import Testing

/// Actions run one at a time, in the order dispatched.
@Suite(.timeLimit(.minutes(2))) struct OrderTests {
    @Test func tenThousandActionsOfSixteenTasksAreExecutedOnceEachAndInTheOrderOfTheirTask() async throws {
        let ledger = Ledger()

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for number in 0..<625 {
                        let suspensions = Int.random(in: 0...2, using: &generator)
                        if number % 5 == 0 {
                            ledger.queue(Note("\(task) \(number)", suspensions: suspensions))
                        } else {
                            await ledger.dispatch(Note("\(task) \(number)", suspensions: suspensions))
                        }
                    }
                }
            }
        }
        try await ledger.drain()

        #expect(ledger.overlaps == 0)
        #expect(ledger.entries.count == 10_000)
        for task in 0..<16 {
            let own = ledger.entries.filter { $0.hasPrefix("\(task) ") }
            #expect(own == (0..<625).map { "\(task) \($0)" })
        }
    }

    @Test func waitingActionsRunFirstInFirstOut() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let names = (0..<100).map { "\($0)" }

        let tasks = await ledger.enqueue(names.map { Note($0, suspensions: 1) })
        gate.open()
        for task in tasks + [busy] { try await task.value }

        #expect(ledger.entries == names)
        #expect(ledger.overlaps == 0)
    }

    @Test func executeFromOutsideDoesNotOvertakeAnActionThatIsSuspended() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let queued = await ledger.enqueue([Note("queued")])
        let outside = Task { await ledger.execute(Note("outside")) }
        await ledger.pipeline.waitForQueuedActions(2)

        #expect(ledger.entries == [])
        gate.open()
        for task in queued + [busy] { try await task.value }
        _ = await outside.value

        #expect(ledger.entries == ["queued", "outside"])
    }

    @Test func anActionThatThrowsFailsForItsCallerAndTheNextActionRuns() async throws {
        let ledger = Ledger()

        await #expect(throws: Failure()) {
            try await ledger.dispatch(Perform { _ in throw Failure() }) as Void
        }
        await ledger.dispatch(Note("next"))

        #expect(ledger.entries == ["next"])
    }
}
