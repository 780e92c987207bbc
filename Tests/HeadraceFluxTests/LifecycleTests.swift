// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// Pausing, cancelling, limits, and the end: each action runs exactly once, or its caller receives the reason.
@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    @Test func actionsDispatchedWhilePausedWaitAndRunInOrder() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        let tasks = await ledger.enqueue((0..<10).map { Note("\($0)") })

        #expect(!ledger.isActive && !ledger.isDispatching)
        #expect(ledger.entries == [])
        ledger.activate()
        for task in tasks { try await task.value }

        #expect(ledger.entries == (0..<10).map { "\($0)" })
    }

    @Test func anActionThatRunsWhilePausedEndsAndTheNextActionWaits() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([Note("next")])

        ledger.deactivate()
        gate.open()
        try await busy.value
        #expect(ledger.entries == [])
        #expect(ledger.pipeline.waitingCount == 1)
        ledger.activate()
        for task in tasks { try await task.value }

        #expect(ledger.entries == ["next"])
    }

    @Test func pausingAtRandomLosesAndRepeatsNoAction() async throws {
        for seed in UInt64(0)..<20 {
            let ledger = Ledger()
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<100 { await ledger.dispatch(Note("\(task) \(number)", suspensions: 1)) }
                    }
                }
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<200 {
                        if Bool.random(using: &generator) { ledger.activate() } else { ledger.deactivate() }
                        for _ in 0..<Int.random(in: 0...5, using: &generator) { await Task.yield() }
                    }
                    ledger.activate()
                }
            }
            #expect(Set(ledger.entries).count == 800 && ledger.entries.count == 800, "seed \(seed)")
            #expect(ledger.overlaps == 0, "seed \(seed)")
        }
    }

    @Test func anActionCancelledBeforeItsTurnDoesNotRunAndItsCallerGetsAnError() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([Note("a"), Note("b"), Note("c")])

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        gate.open()
        for task in [tasks[0], tasks[2], busy] { try await task.value }

        #expect(ledger.entries == ["a", "c"])
    }

    @Test func withCancellationAtRandomEachActionRunsOrItsCallerGetsAnError() async throws {
        for seed in UInt64(0)..<20 {
            let ledger = Ledger()
            var generator = SeededGenerator(seed: seed)
            var tasks: [Task<Bool, Never>] = []
            for number in 0..<500 {
                tasks.append(
                    Task {
                        if case .success = await ledger.dispatch(Note("\(number)", suspensions: number % 3)) {
                            true
                        } else {
                            false
                        }
                    }
                )
                if Bool.random(using: &generator) { tasks.randomElement(using: &generator)?.cancel() }
                if number % 7 == 0 { await Task.yield() }
            }
            var executed: Set<String> = []
            for (number, task) in tasks.enumerated() where await task.value { executed.insert("\(number)") }

            #expect(Set(ledger.entries) == executed, "seed \(seed)")
            #expect(ledger.entries.count == executed.count, "seed \(seed)")
            #expect(ledger.overlaps == 0, "seed \(seed)")
            #expect(!ledger.isDispatching && ledger.pipeline.waitingCount == 0, "seed \(seed)")
        }
    }

    @Test func drainReturnsWhenTheQueueIsEmptyAlsoAfterACancellation() async throws {
        let ledger = Ledger()
        try await ledger.drain()
        ledger.deactivate()
        let tasks = await ledger.enqueue([Note("given up")])
        let drained = Task { try await ledger.drain() }
        let givenUp = Task { try await ledger.drain() }
        givenUp.cancel()

        await #expect(throws: CancellationError.self) { try await givenUp.value }
        tasks[0].cancel()
        try await drained.value
        #expect(ledger.entries == [])
    }

    @Test func shuttingDownRunsTheWaitingActionsAndRejectsNewActions() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([Note("a"), Note("b")])
        let shutDown = Task { await ledger.shutDown() }
        gate.open()
        await shutDown.value
        for task in tasks + [busy] { try await task.value }

        #expect(ledger.entries == ["a", "b"])
        let error = try await #require(throws: PipelineError.self) {
            try await ledger.dispatch(Perform { _ in }) as Void
        }
        #expect(error.code == .shutDown)
    }

    @Test func shuttingDownWhilePausedRejectsTheWaitingActions() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        let tasks = await ledger.enqueue([Note("a"), Note("b")])

        await ledger.shutDown()

        for task in tasks {
            let error = await #expect(throws: PipelineError.self) { try await task.value }
            #expect(error?.code == .shutDown)
        }
        #expect(ledger.entries == [])
    }

    @Test func aQueuedActionThatFailsOrDoesNotRunIsLogged() async throws {
        let handler = InMemoryLogHandler()
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            let ledger = Ledger(Pipeline(limit: 1))
            ledger.deactivate()
            ledger.queue(Note("waits"))
            ledger.queue(Note("is too many"))
            ledger.activate()
            try await ledger.drain()
            ledger.queue(Perform { _ in throw Failure() })
            try await ledger.drain()
        }

        #expect(handler.entries.map(\.level) == [.error, .error])
        #expect(handler.entries[0].metadata["error"]?.description.contains("1 actions wait") == true)
        #expect(handler.entries[1].metadata["error"] == "Failure()")
    }

    @Test func anUnreferencedDispatcherIsFreedAfterItsQueuedActionsHaveRun() async throws {
        weak var weakLedger: Ledger?
        let freed: ConditionVariable<Bool>
        let gate = Gate()
        do {
            let ledger = Ledger()
            (weakLedger, freed) = (ledger, ledger.freed)
            ledger.queue(Perform { _ in await gate.pass() })
            ledger.queue(Perform { $0.note("last") })
        }
        #expect(weakLedger != nil)
        gate.open()
        await freed.wait { $0 }
        #expect(freed.value)
    }

    // MARK: Limits

    private func filled(_ overflow: Overflow) async -> (Ledger, [Task<Void, any Error>]) {
        let ledger = Ledger(Pipeline(limit: 2, overflow: overflow))
        ledger.deactivate()
        return (ledger, await ledger.enqueue([Note("a1"), Note("b1")]))
    }

    private func code(_ task: Task<Void, any Error>) async -> PipelineError.Code? {
        do {
            try await task.value
            return nil
        } catch {
            return (error as? PipelineError)?.code
        }
    }

    @Test func theCallerIsSuspendedLongerWhenTheLimitIsReached() async throws {
        let (ledger, tasks) = await filled(.suspend)

        let more = await ledger.enqueue([Note("c1")])
        ledger.activate()
        for task in tasks + more { try await task.value }

        #expect(ledger.entries == ["a1", "b1", "c1"])
    }

    @Test func theOldestActionIsDroppedWithAnError() async throws {
        let (ledger, tasks) = await filled(.dropOldest)

        let newest = Task { try await ledger.dispatch(Note("c1")) as Void }
        #expect(await code(tasks[0]) == .dropped)
        ledger.activate()
        try await tasks[1].value
        try await newest.value

        #expect(ledger.entries == ["b1", "c1"])
    }

    @Test func theNewestActionIsDroppedWithAnError() async throws {
        let (ledger, tasks) = await filled(.dropNewest)

        let newest = Task { try await ledger.dispatch(Note("c1")) as Void }
        #expect(await code(newest) == .dropped)
        ledger.activate()
        for task in tasks { try await task.value }

        #expect(ledger.entries == ["a1", "b1"])
    }

    @Test func anActionWithTheSameKeyIsReplacedWithAnError() async throws {
        let (ledger, tasks) = await filled(.coalesce { ($0 as? Note)?.name.first })

        let newer = Task { try await ledger.dispatch(Note("a2")) as Void }
        #expect(await code(tasks[0]) == .dropped)
        let other = Task { try await ledger.dispatch(Note("c1")) as Void }
        await ledger.pipeline.waitForQueuedActions(3)
        ledger.activate()
        for task in [tasks[1], newer, other] { try await task.value }

        #expect(ledger.entries == ["b1", "a2", "c1"])
    }

    @Test func aMillionQueuedActionsDoNotOutgrowTheLimit() async throws {
        let ledger = Ledger(Pipeline(limit: 100, overflow: .dropNewest))
        let greatest = Mutex(0)
        var silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        silent.logLevel = .critical

        try await withLogger(silent) { _ in
            for number in 0..<1_000_000 {
                ledger.queue(Perform { _ in })
                if number % 1_000 == 0 {
                    greatest.withLock { $0 = max($0, ledger.pipeline.waitingCount) }
                    await Task.yield()
                }
            }
            try await ledger.drain()
        }

        #expect(greatest.withLock { $0 } <= 100)
    }
}
