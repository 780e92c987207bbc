// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import InMemoryLogging
import Logging
import Testing

/// A dispatcher that is released while it is paused is freed, and its actions are logged.
@Suite(.timeLimit(.minutes(2))) struct ReleaseTests {
    @Test func aPausedDispatcherIsReleasedAndItsQueuedActionsAreLogged() async {
        let handler = InMemoryLogHandler()
        let freed: ConditionVariable<Bool>
        weak var pipeline: Pipeline?
        do {
            let ledger = Ledger()
            (freed, pipeline) = (ledger.freed, ledger.pipeline)
            ledger.deactivate()
            withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
                for number in 0..<3 { ledger.queue(Note("\(number)")) }
            }
        }

        await freed.wait { $0 }
        #expect(freed.value)

        #expect(pipeline == nil)
        #expect(handler.entries.count == 3)
        #expect(handler.entries.allSatisfy { $0.metadata["error"]?.description.contains("released") == true })
        #expect(handler.entries.allSatisfy { $0.metadata["headrace.action"] == "HeadraceFluxTests.Note" })
    }

    @Test func aDispatcherThatIsPausedAmongItsQueuedActionsIsReleased() async {
        let freed: ConditionVariable<Bool>
        do {
            let ledger = Ledger()
            freed = ledger.freed
            ledger.queue(Perform { $0.deactivate() })
            ledger.queue(Note("next"))
        }

        await freed.wait { $0 }
        #expect(freed.value)
    }

    @Test func aPausedDispatcherWhoseActionQueuedTheNextOneIsReleased() async throws {
        let freed: ConditionVariable<Bool>
        weak var pipeline: Pipeline?
        do {
            let ledger = Ledger()
            (freed, pipeline) = (ledger.freed, ledger.pipeline)
            try await ledger.dispatch(
                Perform { ledger in
                    ledger.deactivate()
                    ledger.queue(Note("next"))
                }
            ) as Void
        }

        await freed.wait { $0 }
        #expect(freed.value)
        #expect(pipeline == nil)
    }

    @Test func pausedDispatchersWhoseActionsQueuedForEachOtherAreReleased() async throws {
        let (one, other): (ConditionVariable<Bool>, ConditionVariable<Bool>)
        weak var pipeline: Pipeline?
        do {
            let (first, second) = (Ledger(), Ledger())
            (one, other) = (first.freed, second.freed)
            pipeline = first.pipeline
            try await first.dispatch(
                Perform { first in
                    try await second.dispatch(
                        Perform { second in
                            first.deactivate()
                            second.deactivate()
                            first.queue(Note("first"))
                            second.queue(Note("second"))
                        }
                    ) as Void
                }
            ) as Void
        }

        await one.wait { $0 }
        await other.wait { $0 }
        #expect(one.value && other.value)
        #expect(pipeline == nil)
    }

    @Test func anActivatedDispatcherRunsItsQueueWithoutAnAwaitingTask() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        for number in 0..<3 { ledger.queue(Note("\(number)")) }

        ledger.activate()
        try await ledger.drain()

        #expect(ledger.entries == ["0", "1", "2"])
    }
}
