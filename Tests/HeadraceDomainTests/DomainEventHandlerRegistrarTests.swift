// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import Logging
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct DomainEventHandlerRegistrarTests {
    private let journal = Journal()
    private let registrar: DomainEventHandlerRegistrar
    private let store: SpyStore

    init() throws {
        let services = ServiceLocator()
        services.register(journal)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        store = try SpyStore()
    }

    private nonisolated(nonsending) func raise(_ events: any DomainEvent...) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            context.insert(customer)
            for event in events { customer.raiseEvent(event) }
        }
    }

    @Test func handlersArePreCommitByDefault() {
        #expect(!JournalBefore.isPostCommit)
        #expect(JournalAfter.isPostCommit)
    }

    @Test func handlersOfOneEventRunBeforeAndAfterTheCommit() async throws {
        registrar.register(JournalAfter.self)
        registrar.register(JournalBefore.self)
        registrar.register(JournalRenaming.self)

        try await raise(Noted("one"), Noted("two"))

        #expect(journal.entries == ["before one", "before two", "after one", "after two"])
    }

    @Test func aHandlerRegisteredTwiceRunsOnce() async throws {
        for _ in 1...2 {
            registrar.register(JournalBefore.self)
            registrar.register(JournalAfter.self)
        }

        try await raise(Noted("one"))

        #expect(journal.entries == ["before one", "after one"])
    }

    @Test func eventsWithTheSameSimpleNameAreDistinct() async throws {
        registrar.register(JournalRed.self)

        try await raise(Red.Happened(), Blue.Happened())

        #expect(journal.entries == ["red"])
    }

    @Test func handlersResolveTheContextAndDependenciesOfTheBase() async throws {
        try await store.store(Customer("other"))
        registrar.register(TagOther.self)

        try await raise(Noted("tag"))

        #expect(journal.entries == ["tagged"])
        #expect(try await EntityContext(store).find(Customer.self, id: "other")?.tags == ["tag"])
        #expect(store.commits.map(\.writes.count) == [2])
    }

    @Test func aFailingPreCommitHandlerPreventsTheCommit() async throws {
        registrar.register(FailBefore.self)
        registrar.register(JournalBefore.self)
        registrar.register(JournalAfter.self)

        await #expect(throws: Failure(text: "one")) { try await raise(Noted("one")) }

        #expect(journal.entries == [])
        #expect(store.commits.isEmpty)
    }

    @Test func aFailingPostCommitHandlerStopsNothingAndIsLogged() async throws {
        registrar.register(FailAfter.self)
        registrar.register(JournalAfter.self)
        let handler = InMemoryLogHandler()

        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            try await raise(Noted("one"), Noted("two"))
        }

        #expect(journal.entries == ["after one", "after two"])
        #expect(store.commits.count == 1)
        #expect(
            handler.entries
                == ["one", "two"].map { text in
                    InMemoryLogHandler.Entry(
                        level: .error,
                        message: "A post-commit handler failed. The changes are stored; the other handlers continue.",
                        metadata: [
                            "headrace.event": "DomainTestSupport.Noted",
                            "headrace.handler": "HeadraceDomainTests.FailAfter",
                            "error": "\(Failure(text: text))",
                        ]
                    )
                }
        )
    }

    @Test @MainActor func handlersRunOnTheCallersActor() async throws {
        registrar.register(JournalActorBefore.self)
        registrar.register(JournalActorAfter.self)

        try await raise(Noted("one"))

        #expect(journal.entries == ["before on the main actor", "after on the main actor"])
    }

    @Test func anEventWithoutAHandlerIsNoError() async throws {
        try await raise(Noted("one"))

        #expect(store.commits.count == 1)
    }
}

// MARK: - Fixtures

struct JournalAfter: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add("after \(event.text)")
    }
}

struct JournalRenaming: DomainEventHandler {
    static func handle(event: Renamed, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add("renamed")
    }
}

struct FailBefore: DomainEventHandler {
    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        throw Failure(text: event.text)
    }
}

struct FailAfter: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        throw Failure(text: event.text)
    }
}

struct TagOther: DomainEventHandler {
    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        let context: EntityContext = resolver.resolve()
        try await context.find(Customer.self, id: "other")?.tags.append(event.text)
        if let journal: Journal = resolver.tryResolve() { journal.add("tagged") }
    }
}

enum Blue {
    struct Happened: DomainEvent {}
}

struct JournalActorBefore: DomainEventHandler {
    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add(
            "before \(#isolation === MainActor.shared ? "on the main actor" : "elsewhere")")
    }
}

struct JournalActorAfter: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add(
            "after \(#isolation === MainActor.shared ? "on the main actor" : "elsewhere")")
    }
}
