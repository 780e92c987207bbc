// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceMacros
import HeadraceResolution
import SwiftSyntaxMacrosGenericTestSupport
import Synchronization
import Testing

@Suite
struct InjectTests {
    @Test
    func aPropertyBecomesAGetter() {
        expect(
            #"""
            extension CounterStoreAction {
                @Inject(\.counterStore)
                var store: CounterStore
            }
            """#,
            expandsTo: #"""
                extension CounterStoreAction {
                    var store: CounterStore {
                        get {
                            HeadraceResolution.Inject(\.counterStore).wrappedValue
                        }
                    }
                }
                """#
        )
    }

    @Test
    func aConstantAndAValueAreReportedTogether() {
        expect(
            """
            struct Model {
                @Inject(\\.counterStore) let store: CounterStore = CounterStore()
            }
            """,
            expandsTo: """
                struct Model {
                    let store: CounterStore = CounterStore()
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Inject' resolves the property at each access; declare it with 'var'",
                line: 2,
                column: 29,
                fixIts: [FixItSpec(message: "Replace 'let' with 'var'")]
            ),
            DiagnosticSpec(
                message: "'@Inject' supplies the value of the property; remove this value",
                line: 2,
                column: 53
            )
        )
    }

    @Test
    func anActionOfSeed001FindsItsStore() {
        let builder = ContainerBuilder()
        builder.singleton { CounterStore() }
        let container = builder.build()

        container.withCurrent { CounterStore.IncrementByOne().dispatch() }

        #expect(container.counterStore.count.load(ordering: .relaxed) == 1)
        #expect(container.withCurrent { CounterScreen().store } === container.counterStore)
    }
}

// MARK: Fixtures

extension DependencyResolver {
    fileprivate var counterStore: CounterStore { resolve() }
}

private protocol CounterStoreAction: Sendable {
    func execute(with store: CounterStore)
}

extension CounterStoreAction {
    @Inject(\.counterStore)
    var store: CounterStore

    func dispatch() { execute(with: store) }
}

private final class CounterStore: Sendable {
    let count = Atomic(0)

    struct IncrementByOne: CounterStoreAction {
        func execute(with store: CounterStore) { store.count.add(1, ordering: .relaxed) }
    }
}

/// A `Sendable` class.
///
/// The property stores nothing.
private final class CounterScreen: Sendable {
    @Inject(\.counterStore) var store: CounterStore
}
#endif
