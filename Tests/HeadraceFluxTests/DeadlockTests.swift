// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import Testing

/// Actions of several dispatchers that would wait for each other get an error.
@Suite(.timeLimit(.minutes(2))) struct DeadlockTests {
    @Test func twoDispatchersWhoseActionsAwaitEachOtherGetAnErrorThatNamesThem() async throws {
        let (orders, stock) = (Orders(), Stock())
        let closing = Gate()
        let stocktaking = Task {
            try await stock.dispatch(
                Take { _ in
                    await closing.pass()
                    try await orders.dispatch(Bill()) as Void
                }
            ) as Void
        }
        await closing.arrivals(1)
        let ordering = Task {
            try await orders.dispatch(PlaceOrder { _ in try await stock.dispatch(Reserve()) as Void }) as Void
        }
        await stock.pipeline.waitForQueuedActions(1)

        closing.open()

        let error = await #expect(throws: PipelineError.self) { try await stocktaking.value }
        try await ordering.value
        let module = "HeadraceFluxTests"
        #expect(error?.code == .deadlock)
        #expect(
            error?.message == """
                The wait would be a deadlock: '\(module).Take' of '\(module).Stock' waits for '\(module).Bill' of \
                '\(module).Orders', and '\(module).PlaceOrder' of '\(module).Orders' waits for '\(module).Reserve' of \
                '\(module).Stock'. To fix, queue one of these actions instead of awaiting it, or await it after the other \
                action has ended.
                """
        )
        #expect(!orders.isDispatching && !stock.isDispatching)
    }

    @Test func threeDispatchersWhoseActionsAwaitEachOtherGetOneError() async throws {
        let ledgers = [Ledger(), Ledger(), Ledger()]
        let allExecute = Gate()
        let tasks = (0..<3).map { index in
            Task {
                await ledgers[index].dispatchCatching { _ in
                    await allExecute.pass()
                    try await ledgers[(index + 1) % 3].dispatch(Perform { _ in }) as Void
                }
            }
        }
        await allExecute.arrivals(3)

        allExecute.open()

        var codes: [PipelineError.Code?] = []
        for task in tasks { codes.append((await task.value as? PipelineError)?.code) }
        #expect(codes.filter { $0 == .deadlock }.count == 1)
        #expect(codes.filter { $0 == nil }.count == 2)
    }

    @Test func queuedActionsThatAwaitEachOtherGetAnErrorToo() async throws {
        let (one, other) = (Ledger(), Ledger())
        let bothExecute = Gate()
        for (own, theirs) in [(one, other), (other, one)] {
            own.queue(
                Perform { own in
                    await bothExecute.pass()
                    if case .failure(let error) = await theirs.dispatch(Note("theirs")) {
                        own.note((error as? PipelineError)?.code.description ?? "\(error)")
                    }
                })
        }
        await bothExecute.arrivals(2)

        bothExecute.open()
        try await one.drain()
        try await other.drain()

        #expect((one.entries + other.entries).sorted() == ["deadlock", "theirs"])
    }

    @Test func aChildTaskThatExecutesAnActionWithinAnotherOneClosesACircleToo() async throws {
        let (one, other) = (Ledger(), Ledger())
        let closing = Gate()
        let there = Task {
            await other.dispatchCatching { _ in
                await closing.pass()
                await one.dispatch(Note("back"))
            }
        }
        await closing.arrivals(1)
        let here = Task {
            await one.dispatchCatching { one in
                async let inner = one.dispatchCatching { _ in await other.dispatch(Note("there")) }
                _ = await inner
            }
        }
        await other.pipeline.waitForQueuedActions(1)

        closing.open()
        #expect(await there.value == nil)
        #expect(await here.value == nil)

        #expect(one.entries.isEmpty && other.entries == ["there"])
    }

    @Test func anActionThatDrainsItsDispatcherGetsAnError() async throws {
        let ledger = Ledger()

        let error = await ledger.dispatchCatching { try await $0.drain() }

        #expect((error as? PipelineError)?.code == .deadlock)
        #expect((error as? PipelineError)?.message.contains("waits for the end of all actions of") == true)
    }

    @Test func drainingTheDispatcherOfAnActionThatWaitsGetsAnError() async throws {
        let (one, other) = (Ledger(), Ledger())
        let closing = Gate()
        let there = Task {
            await other.dispatchCatching { _ in
                await closing.pass()
                try await one.drain()
            }
        }
        await closing.arrivals(1)
        let here = Task { await one.dispatchCatching { _ in await other.dispatch(Note("there")) } }
        await other.pipeline.waitForQueuedActions(1)

        closing.open()

        #expect((await there.value as? PipelineError)?.code == .deadlock)
        #expect(await here.value == nil)
    }

    @Test func anActionThatShutsItsDispatcherDownGoesOnAndTheOthersAreExecutedAfterIt() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([
            Perform { ledger in
                await ledger.shutDown()
                ledger.note("shut down")
            },
            Perform { $0.note("next") },
        ])

        gate.open()
        for task in tasks + [busy] { try await task.value }

        #expect(ledger.entries == ["shut down", "next"])
    }

    // MARK: Waits without a circle

    @Test func aTaskThatAnActionDoesNotAwaitClosesNoCircle() async throws {
        let (one, other) = (Ledger(), Ledger())
        let (leaving, closing) = (Gate(), Gate())
        let there = Task {
            await other.dispatchCatching { _ in
                await closing.pass()
                try await one.dispatch(Perform { $0.note("back") }) as Void
            }
        }
        await closing.arrivals(1)
        let here = Task {
            await one.dispatchCatching { _ in
                Task { await other.dispatch(Note("left behind")) }
                await leaving.pass()
            }
        }
        await other.pipeline.waitForQueuedActions(1)
        closing.open()
        await one.pipeline.waitForQueuedActions(1)
        leaving.open()

        #expect(await there.value == nil)
        #expect(await here.value == nil)
        try await other.drain()
        #expect(one.entries == ["back"] && other.entries == ["left behind"])
    }

    @Test func aCancelledWaitClosesNoCircle() async throws {
        let (one, other) = (Ledger(), Ledger())
        let closing = Gate()
        let there = Task {
            await other.dispatchCatching { _ in
                await closing.pass()
                try await one.dispatch(Perform { $0.note("back") }) as Void
            }
        }
        await closing.arrivals(1)
        let here = Task { await one.dispatchCatching { _ in await other.dispatch(Note("there")) } }
        await other.pipeline.waitForQueuedActions(1)

        here.cancel()
        closing.open()

        #expect(await there.value == nil)
        #expect(await here.value == nil)
        #expect(one.entries == ["back"] && other.entries.isEmpty)
    }

    @Test func actionsThatAwaitDispatchersAtRandomAllEnd() async throws {
        for seed in UInt64(0)..<30 {
            let ledgers = (0..<4).map { _ in Ledger() }
            let counts = await withTaskGroup(of: [Bool].self) { group in
                for task in 0..<6 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed * 10 + UInt64(task))
                        var results: [Bool] = []
                        for _ in 0..<20 {
                            let path = (0..<3).map { _ in Int.random(in: 0..<4, using: &generator) }
                            results.append(await visit(path, of: ledgers))
                        }
                        return results
                    }
                }
                return await group.reduce(into: [true: 0, false: 0]) { counts, results in
                    for result in results { counts[result, default: 0] += 1 }
                }
            }
            #expect(counts.values.reduce(0, +) == 120, "seed \(seed)")
            #expect(ledgers.allSatisfy { !$0.isDispatching && $0.pipeline.waitingCount == 0 }, "seed \(seed)")
        }
    }

    @Test func actionsThatAwaitDispatchersInOneOrderNeverMeetADeadlock() async throws {
        for seed in UInt64(0)..<30 {
            let ledgers = (0..<4).map { _ in Ledger() }
            let results = await withTaskGroup(of: [Bool].self) { group in
                for task in 0..<6 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed * 10 + UInt64(task))
                        var results: [Bool] = []
                        for _ in 0..<20 {
                            let path = (0..<4).filter { _ in Bool.random(using: &generator) }
                            results.append(await visit(path, of: ledgers))
                        }
                        return results
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(results.count == 120 && results.allSatisfy(\.self), "seed \(seed)")
        }
    }
}

/// Executes an action of each dispatcher of `path`, each within the action before.
///
/// Returns whether no deadlock was found.
private func visit(_ path: [Int], of ledgers: [Ledger]) async -> Bool {
    guard let index = path.first else { return true }
    let rest = Array(path.dropFirst())
    let error = await ledgers[index].dispatchCatching { _ in
        await Task.yield()
        if !(await visit(rest, of: ledgers)) { throw Failure() }
    }
    if let error, !(error is Failure) {
        #expect((error as? PipelineError)?.code == .deadlock, "\(error)")
    }
    return error == nil
}

extension Ledger {
    /// Dispatches an action, and returns the error that it or the dispatch has thrown.
    fileprivate func dispatchCatching(_ body: @escaping @Sendable (Ledger) async throws -> Void) async -> (any Error)? {
        do {
            try await dispatch(Perform(body)) as Void
            return nil
        } catch {
            return error
        }
    }
}

private final class Orders: Dispatcher {
    let pipeline = Pipeline()
}

private final class Stock: Dispatcher {
    let pipeline = Pipeline()
}

private struct PlaceOrder: Action {
    let body: @Sendable (Orders) async throws -> Void

    func execute(with orders: Orders) async throws { try await body(orders) }
}

private struct Bill: Action {
    func execute(with orders: Orders) async throws {}
}

private struct Take: Action {
    let body: @Sendable (Stock) async throws -> Void

    func execute(with stock: Stock) async throws { try await body(stock) }
}

private struct Reserve: Action {
    func execute(with stock: Stock) async throws {}
}
