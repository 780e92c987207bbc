//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceFlux
import Synchronization
import Testing

/// Seed 001's counter, as each sort of dispatcher there is.
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

    @Test func anActionOfAServiceTreeIsAMarker() {
        enum Identity: Action { case logIn(String), logOut }

        let actions: [any Action] = [Identity.logIn("Ada"), Identity.logOut]

        #expect(actions.count == 2)
        #expect(Identity.Dispatcher.self == Never.self)
    }

    @Test func anActionDispatchesItselfFromWhereNothingIsAwaited() async throws {
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
    fileprivate func dispatch() { SharedStore.shared.dispatch(self) }
}

private struct IncrementByOne: SharedStoreAction {
    func execute(with store: SharedStore) async { store.add(1) }
}
