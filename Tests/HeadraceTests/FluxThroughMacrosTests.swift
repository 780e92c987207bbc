// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceFlux
import Synchronization
import Testing

// AsyncDispatcher's last sample, with `import Headrace` only: actions find their store and dispatch themselves from anywhere.

private final class CounterStore: Dispatcher {
    let pipeline = Pipeline()
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func add(_ value: Int) { counted.withLock { $0 += value } }
}

extension DependencyResolver {
    fileprivate var counterStore: CounterStore { resolve() }
}

private protocol CounterStoreAction: Action where Dispatcher == CounterStore {}

extension CounterStoreAction {
    @Inject(\.counterStore) var store: CounterStore

    func dispatch() { store.queue(self) }
}

private struct IncrementByOne: CounterStoreAction {
    func execute(with store: CounterStore) async { store.add(1) }
}

private struct IncrementInjected: CounterStoreAction {
    func execute(with other: CounterStore) async { store.add(1) }
}

@Suite struct FluxThroughMacrosTests {
    @Test func anActionDispatchesItselfToTheStoreOfTheCurrentContainer() async throws {
        let builder = ContainerBuilder()
        builder.singleton { CounterStore() }
        let container = builder.build()

        try await container.withCurrent {
            IncrementByOne().dispatch()
            IncrementByOne().dispatch()
            try await container.resolve(CounterStore.self).drain()
        }

        #expect(container.resolve(CounterStore.self).count == 2)
    }

    @Test func aQueuedActionInjectsFromTheContainerOfItsCaller() async throws {
        let builder = ContainerBuilder()
        builder.singleton { CounterStore() }
        let container = builder.build()
        let queuing = CounterStore()

        try await container.withCurrent {
            queuing.queue(IncrementInjected())
            try await queuing.drain()
        }

        #expect(queuing.count == 0)
        #expect(container.resolve(CounterStore.self).count == 1)
    }

    @Test func aServiceTreeAndACommandShareAStoreAndOneActionProtocol() async {
        enum Marker: Action { case begun }
        let store = CounterStore()

        await store.dispatch(IncrementByOne())

        #expect(Marker.Dispatcher.self == Never.self)
        #expect(store.count == 1)
    }
}
#endif
