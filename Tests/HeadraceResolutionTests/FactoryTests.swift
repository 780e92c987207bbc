// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// Objects with arguments that are known only at the time of use.
@Suite struct FactoryTests {
    private func builder() -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.singleton { Settings() }
        builder.factory(
            of: Invoice.self, taking: String.self, Int.self, dependencies: Dependencies().on(Settings.self)
        ) { scope, customer, amount in
            Invoice(settings: scope.resolve(), customer: customer, amount: amount)
        }
        return builder
    }

    @Test func argumentsAndDependenciesMeet() {
        let container = builder().build()

        let make = container.factory(of: Invoice.self, taking: String.self, Int.self)

        #expect(make("ada", 3).customer == "ada")
        #expect(make("bob", 4).amount == 4)
        #expect(make("bob", 4).settings === container.resolve(Settings.self))
    }

    @Test func anObjectStatesAFactoryAsADependency() throws {
        let builder = builder()
        builder.singleton(Billing.init)
        try builder.validate(.strict)

        let container = builder.build()

        #expect(try container.require(Billing.self).make("ada", 3).customer == "ada")
    }

    @Test func aMissingFactoryIsAProblem() throws {
        let builder = ContainerBuilder()
        builder.singleton(Billing.init)

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
        #expect(error.problems.first?.message.contains(Self.lineToAdd) == true)
    }

    @Test func aMissingDependencyOfAFactoryIsAProblem() throws {
        let builder = ContainerBuilder()
        builder.factory(of: Invoice.self, taking: String.self, dependencies: Dependencies().on(Settings.self)) {
            Invoice(settings: $0.resolve(), customer: $1, amount: 0)
        }

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
    }

    private static let lineToAdd = """
        'builder.factory(of: HeadraceResolutionTests.Invoice.self, taking: Swift.String.self, Swift.Int.self) { … }'
        """

    @Test func aFactoryWithoutStatedDependenciesIsUnproved() throws {
        let builder = ContainerBuilder()
        builder.singleton { Settings() }
        builder.factory(of: Invoice.self, taking: String.self) {
            Invoice(settings: $0.resolve(), customer: $1, amount: 0)
        }

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.unproved])
        #expect(error.problems.first?.message.contains("'dependencies: Dependencies().on(…)'") == true)
    }

    @Test func aSingletonThatMakesObjectsWithScopedDependenciesIsCaptive() throws {
        let builder = ContainerBuilder()
        builder.scoped { Settings() }
        builder.factory(
            of: Invoice.self, taking: String.self, Int.self, dependencies: Dependencies().on(Settings.self)
        ) {
            Invoice(settings: $0.resolve(), customer: $1, amount: $2)
        }
        builder.singleton(Billing.init)

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.captive])
    }

    @Test func theProductMayNeedTheObjectThatKeepsTheFactory() throws {
        let builder = ContainerBuilder()
        builder.singleton(Parent.init)
        builder.factory(of: Child.self, taking: Int.self, dependencies: Dependencies().on(Parent.self)) {
            Child(parent: $0.resolve(), number: $1)
        }
        try builder.validate(.strict)

        let container = builder.build()
        let parent: Parent = container.resolve()

        #expect(parent.makeChild(7).parent === parent)
    }

    @Test func aFactoryResolvesFromTheScopeItComesFrom() {
        let builder = ContainerBuilder()
        builder.scoped { Settings() }
        builder.factory(of: Settings.self)
        let container = builder.build()
        let scope = container.scope()

        #expect(scope.factory(of: Settings.self)() === scope.resolve(Settings.self))
        #expect(container.factory(of: Settings.self)() !== scope.resolve(Settings.self))
    }

    @Test func factoriesAreDrawnWithTheirProducts() {
        #expect(
            builder().graph.mermaid == """
                flowchart LR
                    n0(["Settings<br/>singleton"])
                    n1["Factory#lt;Invoice, String, Int#gt;<br/>transient"]
                    n2[/"Invoice<br/>made by a factory"/]
                    n1 -.->|later| n2
                    n2 --> n0

                """
        )
    }
}

private struct Invoice {
    let settings: Settings
    let customer: String
    let amount: Int
}

private final class Billing: Sendable {
    let make: Factory<Invoice, String, Int>

    init(make: Factory<Invoice, String, Int>) {
        self.make = make
    }
}

private final class Parent: Sendable {
    let makeChild: Factory<Child, Int>

    init(makeChild: Factory<Child, Int>) {
        self.makeChild = makeChild
    }
}

private final class Child: Sendable {
    let parent: Parent
    let number: Int

    init(parent: Parent, number: Int) {
        self.parent = parent
        self.number = number
    }
}
