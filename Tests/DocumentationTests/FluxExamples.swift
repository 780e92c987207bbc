// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import Testing

private actor CounterStore: Dispatcher {
    let pipeline = Pipeline()
    var count = 0
}

private struct Increment: Action {
    var value = 1

    func execute(with store: isolated CounterStore) async { store.count += value }
}

private enum Tenant {
    @TaskLocal static var current = "none"
}

private actor Store: Dispatcher {
    let pipeline: Pipeline
    var tenants: [String] = []

    init(pipeline: Pipeline) {
        self.pipeline = pipeline
    }
}

private struct NoteTenant: Action {
    func execute(with store: isolated Store) async { store.tenants.append(Tenant.current) }
}

@Suite(.timeLimit(.minutes(2))) struct FluxExamples {
    @Test func noIncrementIsLost() async {
        let store = CounterStore()
        async let one = store.dispatch(Increment())
        async let ten = store.dispatch(Increment(value: 10))
        _ = await [one, ten]

        #expect(await store.count == 11)
    }

    @Test func aWaiterOfAPausedDispatcherIsVisibleAndCancellable() async {
        let store = CounterStore()

        store.deactivate()
        let waiting = Task { await store.dispatch(Increment()) }
        await store.pipeline.waitForQueuedActions(1)
        waiting.cancel()

        #expect(await waiting.value.code == "cancelled")
        #expect(await store.count == 0)
    }

    @Test func aQueuedActionKeepsTheListedTaskLocalValues() async throws {
        let store = Store(pipeline: Pipeline(carrying: Tenant.$current))
        Tenant.$current.withValue("Ada") { store.queue(NoteTenant()) }
        try await store.drain()

        #expect(await store.tenants == ["Ada"])
    }
}
