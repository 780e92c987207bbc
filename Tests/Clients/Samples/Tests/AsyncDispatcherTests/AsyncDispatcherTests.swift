// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceFlux
import Testing

@MainActor
final class CounterStore: Dispatcher {
    let pipeline = Pipeline()
    // The state
    var count: Int = 0
}

extension CounterStore {
    struct Increment: Action {
        var value: Int = 1

        @MainActor
        func execute(with store: CounterStore) async {
            store.count += value
        }
    }
}

protocol CounterStoreAction: Action where Dispatcher == CounterStore {}

extension CounterStoreAction {
    @Inject(\.counterStore)  // Injected from IoC container
    var store: CounterStore

    func dispatch() {
        store.queue(self)
    }
}

extension DependencyResolver {
    var counterStore: CounterStore { resolve() }
}

extension CounterStore {
    struct IncrementByOne: CounterStoreAction {
        @MainActor
        func execute(with store: CounterStore) async {
            store.count += 1
        }
    }
}

@Suite(.timeLimit(.minutes(1))) @MainActor struct AsyncDispatcherTests {
    @Test func twoIncrementsMakeEleven() async {
        let counterStore = CounterStore()

        async let one = counterStore.dispatch(CounterStore.Increment())
        async let ten = counterStore.dispatch(CounterStore.Increment(value: 10))
        _ = await [one, ten]

        #expect(counterStore.count == 11)
    }

    @Test func anActionDispatchesItselfToTheInjectedStore() async throws {
        let counterStore = CounterStore()
        let builder = ContainerBuilder()
        builder.singleton { counterStore }

        try await builder.build().withCurrent {
            CounterStore.IncrementByOne().dispatch()
            try await counterStore.drain()
        }

        #expect(counterStore.count == 1)
    }

    @Test func actionsThatSuspendAreExecutedSerially() async {
        let counterStore = CounterStore()

        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await counterStore.dispatch(IncrementSlowly()) } }
        }

        #expect(counterStore.count == 10)
    }
}

/// Loses increments unless actions run serially.
private struct IncrementSlowly: Action {
    @MainActor
    func execute(with store: CounterStore) async {
        let before = store.count
        await withCheckedContinuation { continuation in
            Task { @MainActor in continuation.resume() }
        }
        store.count = before + 1
    }
}
