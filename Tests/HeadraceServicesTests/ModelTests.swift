// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Synchronization
import Testing

private struct Add: Action { var amount = 1 }
private struct AddAndPing: Action {}
private struct AddAndFail: Action {}

private struct CounterService: Service {
    var body: some Service {
        Store(model: Counter.self)
            .mutate(on: Add.self) { model, action, _ in
                let count = model.count
                await Task.yield()
                model.count = count + action.amount
            }
            .mutate(on: AddAndFail.self) { model, _, _ in
                model.count += 1
                throw TestFailure("after the change")
            }
            .mutate(on: AddAndPing.self) { model, _, send in
                model.count += 1
                try await send(action: Ping())
                model.count += 10
            }
    }
}

/// A model on the main actor.
@MainActor
private final class Screen {
    var shown: [Int] = []

    func show(_ number: Int) { shown.append(number) }
}

private actor Tally {
    private(set) var total = 0

    func add(_ amount: Int) { total += amount }
}

private protocol Adder: Sendable {
    func add(_ amount: Int) async
}

extension Tally: Adder {}

/// Ownership and mutation of models.
@Suite(.timeLimit(.minutes(2))) struct ModelTests {
    @Test func aValueModelKeepsItsMutations() async throws {
        let probe = ModelProbe<Counter>()
        let cluster = try await Bootstrap { CounterService().with(model: Counter(count: 5), probe: probe) }

        for _ in 0..<3 { try await cluster.send(action: Add(amount: 2)) }

        #expect(probe.values.map(\.count) == [5, 7, 9, 11])
    }

    @Test func concurrentMutationsOfAValueAreNotLost() async throws {
        let probe = ModelProbe<Counter>()
        let cluster = try await Bootstrap { CounterService().with(model: Counter(), probe: probe) }

        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { for _ in 0..<500 { try await cluster.send(action: Add()) } }
            }
            try await group.waitForAll()
        }

        #expect(probe.current == Counter(count: 8_000))
    }

    @Test func changesMadeBeforeAnErrorAreKept() async throws {
        let probe = ModelProbe<Counter>()
        let cluster = try await Bootstrap { CounterService().with(model: Counter(), probe: probe) }

        await #expect(throws: TestFailure("after the change")) { try await cluster.send(action: AddAndFail()) }
        try await cluster.send(action: Add())

        #expect(probe.current == Counter(count: 2))
    }

    @Test func siblingsOfOneTypeHaveSeparateModels() async throws {
        let probes = [ModelProbe<Counter>(), ModelProbe<Counter>(), ModelProbe<Counter>()]
        let service = CounterService()
        let cluster = try await Bootstrap {
            service.with(model: Counter(count: 10), probe: probes[0])
            service.with(model: Counter(count: 20), probe: probes[1])
            Group {
                service
                service
            }
            .with(model: Counter(count: 30), probe: probes[2])
        }

        try await cluster.send(action: Add())

        #expect(probes.map(\.current?.count) == [11, 21, 31])
        #expect(probes[2].values.map(\.count) == [30, 30, 31, 31])
    }

    @Test func aStoreTakesTheNearestModelOfItsType() async throws {
        let near = Tally()
        let far = Tally()
        let cluster = try await Bootstrap {
            Group {
                Store(model: Tally.self)
                    .mutate(on: Add.self) { model, action, _ in await model.add(action.amount) }
                    .with(model: Counter())
                    .with(model: near)
            }
            .with(model: far)
        }

        try await cluster.send(action: Add(amount: 3))

        #expect(await near.total == 3)
        #expect(await far.total == 0)
    }

    @MainActor @Test func aModelOfTheMainActorIsUsedOnTheMainActor() async throws {
        let screen = Screen()
        let cluster = try await Bootstrap {
            Store(model: Screen.self)
                .mutate(on: Add.self) { @MainActor model, action, _ in
                    model.shown.append(action.amount)
                }
                .mutate(on: Ping.self) { model, action, _ in await model.show(action.number) }
                .with(model: screen)
        }

        try await cluster.send(action: Add(amount: 1))
        try await cluster.send(action: Ping(number: 2))

        #expect(screen.shown == [1, 2])
    }

    @Test func aHandlerMayBeIsolatedToItsActorModel() async throws {
        let tally = Tally()
        let cluster = try await Bootstrap {
            Store(model: Tally.self)
                .mutate(on: Add.self) { (model: isolated Tally, action, _) in
                    model.add(action.amount)
                    model.add(action.amount)
                }
                .with(model: tally)
        }

        try await cluster.send(action: Add(amount: 4))

        #expect(await tally.total == 8)
    }

    @Test func aStoreOfAProtocolTypeTakesAModelThatConforms() async throws {
        let tally = Tally()
        let cluster = try await Bootstrap {
            Store(model: (any Adder).self)
                .mutate(on: Add.self) { model, action, _ in await model.add(action.amount) }
                .with(model: tally)
        }

        try await cluster.send(action: Add(amount: 3))

        #expect(await tally.total == 3)
    }

    @Test func aMutationThatLeadsBackToItsModelFailsInsteadOfWaitingForItself() async throws {
        let probe = ModelProbe<Counter>()
        let cluster = try await Bootstrap {
            CounterService().with(model: Counter(), probe: probe)
            Leaf("beside", Journal())
            Store(model: Journal.self)
                .mutate(on: Ping.self) { _, _, send in try await send(action: Add()) }
                .with(model: Journal())
        }

        let error = await #expect(throws: ServiceError.self) { try await cluster.send(action: AddAndPing()) }
        #expect(error?.code == .modelInUse)
        #expect(error?.message.contains("Counter") == true)
        try await cluster.send(action: Add())

        #expect(probe.values.map(\.count) == [0, 1, 2])
    }

    @Test func aMutationThatLeadsBackThroughTheClusterItselfFailsToo() async throws {
        let holder = Mutex<Bootstrap?>(nil)
        let cluster = try await Bootstrap {
            Store(model: Counter.self)
                .mutate(on: Ping.self) { model, _, _ in
                    let cluster = holder.withLock { $0 }
                    try await cluster?.send(action: Ping())
                }
                .with(model: Counter())
        }
        holder.withLock { $0 = cluster }

        let error = await #expect(throws: ServiceError.self) { try await cluster.send(action: Ping()) }

        #expect(error?.code == .modelInUse)
        holder.withLock { $0 = nil }
    }

    @Test func aTaskThatOutlivesItsMutationMayChangeTheModelLater() async throws {
        let probe = ModelProbe<Counter>()
        let gate = Gate()
        let left = Mutex<Task<Void, any Error>?>(nil)
        let cluster = try await Bootstrap {
            Store(model: Counter.self)
                .mutate(on: Add.self) { model, action, _ in model.count += action.amount }
                .mutate(on: Ping.self) { model, _, send in
                    left.withLock {
                        $0 = Task {
                            await gate.pass()
                            try await send(action: Add(amount: 7))
                        }
                    }
                }
                .with(model: Counter(), probe: probe)
        }

        try await cluster.send(action: Ping())
        gate.open()
        try await left.withLock { $0 }?.value

        #expect(probe.current == Counter(count: 7))
    }

    @Test func mutationsWaitInOrderOfArrivalAndACancelledMutationLeavesTheQueue() async throws {
        let probe = ModelProbe<Counter>()
        let gate = Gate()
        let cluster = try await Bootstrap {
            Store(model: Counter.self)
                .mutate(on: Ping.self) { model, action, _ in
                    if action.number == 0 { await gate.pass() }
                    model.count = action.number
                }
                .with(model: Counter(count: -1), probe: probe)
        }

        let first = Task { try await cluster.send(action: Ping(number: 0)) }
        await gate.arrivals(1)
        let cancelled = Task { try await cluster.send(action: Ping(number: 1)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let last = Task { try await cluster.send(action: Ping(number: 2)) }
        gate.open()
        try await first.value
        try await last.value

        #expect(probe.values.map(\.count) == [-1, 0, 2])
    }

    @Test func anObserverOfAStoreReceivesTheModelAfterTheMutation() async throws {
        let journal = Journal()
        let cluster = try await Bootstrap {
            Store(model: Counter.self)
                .observe(on: Add.self) { model, action in journal.note("\(model.count) after \(action.amount)") }
                .mutate(on: Add.self) { model, action, _ in model.count += action.amount }
                .with(model: Counter())
        }

        try await cluster.send(action: Add(amount: 2))
        try await cluster.send(action: Add(amount: 3))

        #expect(journal.entries == ["2 after 2", "5 after 3"])
    }
}
