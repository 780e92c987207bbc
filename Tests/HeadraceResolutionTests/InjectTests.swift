// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

extension DependencyResolver {
    fileprivate var counterStore: CounterStore { resolve() }
}

@Suite struct InjectTests {
    @Test func aWrapperReadsFromTheContainerOfTheTask() async {
        let store = CounterStore()
        let container = container { $0.singleton { store } }

        let model = CounterModel()

        #expect(container.withCurrent { model.store === store })
        #expect(await container.withCurrent { await model.laterStore() } === store)
        #expect(container.counterStore === store)
    }

    @Test func aScopeMayBeCurrentToo() {
        let scope = container { $0.scoped { CounterStore() } }.scope()

        #expect(scope.withCurrent { CounterModel().store === scope.resolve(CounterStore.self) })
    }

    @Test func anActionFindsItsStoreAsInTheSeed() async {
        let container = container { $0.singleton { CounterStore() } }

        container.withCurrent { CounterStore.IncrementByOne().dispatch() }

        #expect(container.counterStore.count.value == 1)
    }

    @Test func theInnermostContainerIsCurrentAndChildTasksInheritIt() async {
        let outer = container { $0.singleton { CounterStore() } }
        let inner = container { $0.singleton { CounterStore() } }

        await outer.withCurrent {
            #expect(inner.withCurrent { CounterModel().store } === inner.counterStore)
            let child = await Task { CounterModel().store }.value
            #expect(child === outer.counterStore)
        }
    }

    @Test func concurrentTasksHaveTheirOwnContainers() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let container = container { $0.singleton { CounterStore() } }
                    return await container.withCurrent { await CounterModel().laterStore() === container.counterStore }
                }
            }
            for await isOwn in group { #expect(isOwn) }
        }
    }

    @Test @MainActor func withCurrentStaysOnTheCallersActor() async {
        let container = container { $0.singleton { CounterStore() } }

        #expect(await container.withCurrent(isOnMainActor))
    }

    @Test func theInstalledContainerIsCurrentInTasksWithoutAContainer() async {
        // The installed container is global, so this test needs a separate process.
        await #expect(processExitsWith: .success) {
            let first = container { $0.singleton { CounterStore() } }
            let second = container { $0.singleton { CounterStore() } }
            first.install()
            let detached = await Task.detached { CounterModel().store }.value
            precondition(detached === first.counterStore)
            precondition(second.withCurrent { CounterModel().store } === second.counterStore)
            second.install()
            precondition(CounterModel().store === second.counterStore)
        }
    }

    @Test func withoutAContainerTheMessageShowsTheLineToAdd() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CounterModel().store
        }

        #expect(
            result.wroteToStandardError(
                """
                No container is current, and none is installed. To fix, add 'container.install()' at the start of \
                the application, or wrap the test in 'container.withCurrent { … }'.
                """
            )
        )
    }
}

// MARK: - Fixtures

/// A function, because a closure in a main-actor test runs on the main actor anyway.
private nonisolated(nonsending) func isOnMainActor() async -> Bool {
    #isolation === MainActor.shared
}

private struct CounterModel: Sendable {
    @Inject(\.counterStore) var store: CounterStore

    func laterStore() async -> CounterStore { store }
}

private protocol CounterStoreAction: Sendable {
    func execute(with store: CounterStore)
}

extension CounterStoreAction {
    var store: CounterStore { Container.current.counterStore }

    func dispatch() { execute(with: store) }
}

private final class CounterStore: Sendable {
    let count = Counter()

    struct IncrementByOne: CounterStoreAction {
        func execute(with store: CounterStore) { store.count.increment() }
    }
}
