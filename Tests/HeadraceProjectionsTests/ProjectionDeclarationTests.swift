// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceProcesses
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// The proof at the start that the declarations of projections are right.
@Suite(.timeLimit(.minutes(1))) struct ProjectionDeclarationTests {
    @Test func mistakesEndTheServiceWhenItStarts() async throws {
        let store = try InMemoryStore(entities: [])
        let projections = Projections(
            Projection<Sales>("sales", version: 0),
            sales(1).applying(Sold.self) { _, _ in },
            Projection<Sales>("a/b", version: 1).applying(Sold.self) { _, _ in },
            Projection<Crowded>("crowded", version: 1).applying(Sold.self) { _, _ in },
            on: store,
            delegator: DomainEventHandlerRegistrar(resolver: ServiceLocator())
        )

        let error = try await #require(throws: ProjectionError.self) { try await projections.run() }
        #expect(error.code == .invalidDeclarations)
        for part in [
            "'sales' has the version 0", "'sales' applies no event", "applies 'sold' twice", "contains a slash",
            "at most 4 indexes", "Two projections have the name 'sales'", "add 'Projections.entities'",
        ] {
            #expect(error.message.contains(part), "\(part)")
        }
        await #expect(throws: ProjectionError.self) { try await projections.untilCurrent() }
    }

    @Test func validationReportsMistakes() throws {
        let store = try InMemoryStore(entities: Projections.entities)
        let builder = ContainerBuilder()
        builder.domain(store: store, events: [Sold.self, Discontinued.self])
        builder.projections(sales(1), sales(2), on: store)

        let error = try #require(throws: CompositionError.self) { try builder.validate() }
        #expect(error.problems.map(\.kind) == [.invalidProjection])
        #expect(error.problems.first?.message.contains("Two projections have the name 'sales'") == true)
    }

    @Test func anEventThatAProjectionAppliesNeedsNoHandler() throws {
        let store = try InMemoryStore(entities: Projections.entities)
        let builder = ContainerBuilder()
        builder.domain(store: store, events: [Sold.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }
        #expect(error.problems.map(\.kind) == [.unhandledEvent])

        builder.projections(sales(1), on: store)
        try builder.validate(.strict)
    }

    @Test func theContainerProvidesTheProjections() async throws {
        let bench = try ProjectionBench()
        let builder = ContainerBuilder()
        builder.domain(store: bench.store, events: [Sold.self, Discontinued.self])
        builder.projections(sales(1), on: bench.store, clock: bench.clock)
        try builder.validate(.strict)
        let container = builder.build()

        try await bench.sell(3)
        try await withProjections(container.resolve()) { projections in
            try await projections.untilCurrent()
            #expect(try await projections.read(sales(1)) { try await $0.find("a")?.sum } == 3)
        }
    }
}

private struct Crowded: ProjectionRow {
    static var indexes: [RowIndex<Crowded>] { (0..<5).map { number in RowIndex("\(number)") { $0.id } } }
    let id: Int
}
