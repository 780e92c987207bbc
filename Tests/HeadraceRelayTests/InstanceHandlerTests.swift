// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import Logging
import Testing

/// Handlers of which an instance is created for each event, with its dependencies.
@Suite(.timeLimit(.minutes(2))) struct InstanceHandlerTests {
    @Test func instanceHandlersRunBeforeAndAfterTheCommitLikeStaticHandlers() async throws {
        let store = try SpyStore()
        let journal = Journal()
        let container = container { builder in
            builder.singleton { journal }
            builder.domainEvents(
                handlers: [NoteBefore.self, NoteAfter.self, NoteBefore.self],
                staticHandlers: [JournalBefore.self]
            )
        }

        try await raise(Noted("one"), on: store, container)

        #expect(journal.entries == ["instance before one", "before one", "instance after one"])
        #expect(store.commits.map(\.writes.count) == [2])
        #expect(try await EntityContext(store).find(Customer.self, id: "noted one") != nil)
    }

    @Test func eachEventHasItsOwnScopeAndInstance() async throws {
        let journal = Journal()
        let container = container { builder in
            builder.singleton { journal }
            builder.scoped { Visits() }
            builder.domainEvents(handlers: [CountVisit.self])
        }

        try await raise(Noted("a"), Noted("b"), on: try SpyStore(), container)

        #expect(journal.entries == ["a 1", "b 1"])
    }

    @Test @MainActor func instanceHandlersRunOnTheCallersActor() async throws {
        let journal = Journal()
        let container = container { builder in
            builder.singleton { journal }
            builder.domainEvents(handlers: [NoteActor.self])
        }

        try await raise(Noted("a"), on: try SpyStore(), container)

        #expect(journal.entries == ["on the main actor"])
    }

    @Test func aMissingDependencyBeforeTheCommitFailsTheUnitOfWorkAndNotTheProcess() async throws {
        let store = try SpyStore()
        let container = container { $0.domainEvents(handlers: [NoteBefore.self]) }

        let error = try await #require(throws: ResolutionError.self) {
            try await raise(Noted("one"), on: store, container)
        }

        #expect(
            error.message.hasPrefix(
                """
                Nothing is registered for 'DomainTestSupport.Journal', needed by HeadraceRelayTests.NoteBefore. To fix
                """
            )
        )
        #expect(store.commits.isEmpty)
    }

    @Test func anObjectOfTheMainActorIsMissingElsewhereAlthoughTheContainerHasOne() async throws {
        let store = try SpyStore()
        let container = container { builder in
            builder.register(Registration(.scoped, Panel.self, on: MainActor.self) { _ in Panel() })
            builder.domainEvents(handlers: [ShowOnPanel.self])
        }
        // The container is a scope, too, and has its own panel from now on. The scope of the event has none.
        await MainActor.run { container.resolve(Panel.self).show("ready") }

        let error = try await #require(throws: ResolutionError.self) {
            try await raise(Noted("one"), on: store, container)
        }

        #expect(error.code == .notOnMainActor)
        #expect(store.commits.isEmpty)
    }

    @Test func aMissingDependencyAfterTheCommitIsLogged() async throws {
        let store = try SpyStore()
        let container = container { $0.domainEvents(handlers: [NoteAfter.self]) }
        let handler = InMemoryLogHandler()

        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            try await raise(Noted("one"), on: store, container)
        }

        #expect(store.commits.count == 1)
        #expect(handler.entries.map(\.level) == [.error])
        #expect(handler.entries.first?.metadata["error"]?.description.contains("DomainTestSupport.Journal") == true)
    }

    @Test func aRegistrarWithALocatorCreatesHandlersToo() async throws {
        let journal = Journal()
        let services = ServiceLocator()
        services.register(journal)
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(NoteAfter.self)

        try await UnitOfWork(delegator: registrar, context: EntityContext(try SpyStore())).execute { context in
            let customer = Customer("a")
            context.insert(customer)
            customer.raiseEvent(Noted("one"))
        }

        #expect(journal.entries == ["instance after one"])
    }

    private nonisolated(nonsending) func raise(
        _ events: any DomainEvent...,
        on store: SpyStore,
        _ container: Container
    ) async throws {
        let unitOfWork = UnitOfWork(
            delegator: container.resolve((any DomainEventDelegator).self),
            context: EntityContext(store)
        )
        try await unitOfWork.execute { context in
            let customer = Customer("a")
            context.insert(customer)
            for event in events { customer.raiseEvent(event) }
        }
    }
}
