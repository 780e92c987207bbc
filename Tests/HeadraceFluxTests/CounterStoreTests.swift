// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import Synchronization
import Testing

/// The counter of AsyncDispatcher, as each kind of dispatcher.
@Suite struct CounterStoreTests {
    @Test func anActorCountsToEleven() async {
        let store = ActorStore()

        async let one = store.dispatch(Add())
        async let ten = store.dispatch(Add(value: 10))
        _ = await [one, ten]

        #expect(await store.count == 11)
        #expect(!store.isDispatching)
    }

    @Test @MainActor func aClassOfTheMainActorCountsToEleven() async {
        let store = MainStore()

        async let one = store.dispatch(AddOnMain())
        async let ten = store.dispatch(AddOnMain(value: 10))
        _ = await [one, ten]

        #expect(store.count == 11)
    }

    @Test func aClassThatIsSafeToShareCountsToEleven() async {
        let store = SharedStore()

        async let one = store.dispatch(AddToShared())
        async let ten = store.dispatch(AddToShared(value: 10))
        _ = await [one, ten]

        #expect(store.count == 11)
    }

    @Test func theMiddlewareOfAnActorMayBeAVariable() async {
        let store = ChangingActorStore()
        let tally = Tally()

        await store.dispatch(AddToChanging())
        await store.append(tally)
        await store.dispatch(AddToChanging(value: 10))

        #expect(await store.count == 11)
        #expect(tally.count == 1)
    }

    @Test func theMiddlewareOfAClassOfTheMainActorMayBeAVariable() async {
        let store = ChangingMainStore()
        let tally = Tally()

        await store.dispatch(AddToChangingMain())
        await store.append(tally)
        await store.dispatch(AddToChangingMain(value: 10))

        #expect(await store.count == 11)
        #expect(tally.count == 1)
    }

    @Test func anActionOfAServiceTreeIsAMarker() {
        enum Identity: Action { case logIn(String), logOut }

        let actions: [any Action] = [Identity.logIn("Ada"), Identity.logOut]

        #expect(actions.count == 2)
        #expect(Identity.Dispatcher.self == Never.self)
    }

    @Test func anActionCanQueueItselfFromSynchronousCode() async throws {
        IncrementByOne().dispatch()
        IncrementByOne().dispatch()

        try await SharedStore.shared.drain()
        #expect(SharedStore.shared.count == 2)
    }
}

private actor ActorStore: Dispatcher {
    let pipeline = Pipeline()
    var count = 0
}

private struct Add: Action {
    var value = 1

    func execute(with store: isolated ActorStore) async { store.count += value }
}

@MainActor private final class MainStore: Dispatcher {
    let pipeline = Pipeline()
    var count = 0
}

private struct AddOnMain: Action {
    var value = 1

    @MainActor func execute(with store: MainStore) async { store.count += value }
}

private actor ChangingActorStore: Dispatcher {
    let pipeline = Pipeline()
    var middlewares = [] as [any Middleware]
    var count = 0

    func append(_ middleware: some Middleware) { middlewares.append(middleware) }
}

private struct AddToChanging: Action {
    var value = 1

    func execute(with store: isolated ChangingActorStore) async { store.count += value }
}

@MainActor private final class ChangingMainStore: Dispatcher {
    let pipeline = Pipeline()
    var middlewares = [] as [any Middleware]
    var count = 0

    func append(_ middleware: some Middleware) { middlewares.append(middleware) }
}

private struct AddToChangingMain: Action {
    var value = 1

    @MainActor func execute(with store: ChangingMainStore) async { store.count += value }
}

/// Counts the actions that it lets through.
private final class Tally: ActionMiddleware {
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) { counted.withLock { $0 += 1 } }
}

private final class SharedStore: Dispatcher {
    static let shared = SharedStore()

    let pipeline = Pipeline()
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func add(_ value: Int) { counted.withLock { $0 += value } }
}

private struct AddToShared: Action {
    var value = 1

    func execute(with store: SharedStore) async { store.add(value) }
}

private protocol SharedStoreAction: Action where Dispatcher == SharedStore {}

extension SharedStoreAction {
    fileprivate func dispatch() { SharedStore.shared.queue(self) }
}

private struct IncrementByOne: SharedStoreAction {
    func execute(with store: SharedStore) async { store.add(1) }
}
