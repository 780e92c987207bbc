//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceTesting
import InMemoryLogging
import Logging
import Testing

/// Handlers whose instances are made for each event, out of their dependencies.
@Suite(.timeLimit(.minutes(2))) struct InstanceHandlerTests {
    @Test func theyRunBeforeAndAfterTheCommitBesideStaticHandlers() async throws {
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

    @Test func eachEventHasAScopeAndAnInstanceOfItsOwn() async throws {
        let journal = Journal()
        let container = container { builder in
            builder.singleton { journal }
            builder.scoped { Visits() }
            builder.domainEvents(handlers: [CountVisit.self])
        }

        try await raise(Noted("a"), Noted("b"), on: try SpyStore(), container)

        #expect(journal.entries == ["a 1", "b 1"])
    }

    @Test @MainActor func theyRunOnTheCallersActor() async throws {
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
                Nothing is registered for 'HeadraceDomainTests.Journal', needed by HeadraceDomainTests.NoteBefore. To fix
                """
            )
        )
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
        #expect(handler.entries.first?.metadata["error"]?.description.contains("HeadraceDomainTests.Journal") == true)
    }

    @Test func aRegistrarOfALocatorMakesThemToo() async throws {
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

/// Deliveries to instances.
@Suite(.timeLimit(.minutes(2))) struct DurableInstanceHandlerTests {
    @Test func aDeliveryIsHandledInTheUnitOfWorkOfTheRelay() async throws {
        let bench = try RelayBench()
        let container = container { builder in
            builder.singleton { bench.desk }
            builder.domainEvents(handlers: [BookDeposit.self])
        }

        try await withRelay(relay(of: bench, container)) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "delivered")
        }

        #expect(bench.desk.lines == ["instance 5", "delivered instance"])
        #expect(try await bench.balance("a") == 5)
    }

    @Test func aMissingDependencyCostsADeliveryAndNotTheProcess() async throws {
        let bench = try RelayBench()
        let container = container { $0.domainEvents(handlers: [BookDeposit.self]) }

        try await withRelay(relay(of: bench, container) { $0.maximumAttempts = 2 }) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "failed instance attempt 1")
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(1))
            await bench.desk.wait(for: 1, "dead instance")
        }

        let letters = try await DeadLetters(in: bench.store).page()
        #expect(letters.map(\.attempts) == [2])
        #expect(letters.first?.reason.contains("needed by HeadraceDomainTests.BookDeposit. To fix, add") == true)
    }

    @Test func aStaticHandlerThatRequiresCostsADeliveryToo() async throws {
        let bench = try RelayBench()
        let container = container { $0.domainEvents(staticHandlers: [RequiringMail.self]) }

        try await withRelay(relay(of: bench, container) { $0.maximumAttempts = 1 }) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "dead mail")
        }

        let letters = try await DeadLetters(in: bench.store).page()
        #expect(letters.first?.reason.hasPrefix("Nothing is registered for 'HeadraceDomainTests.Desk'.") == true)
    }

    private func relay(
        of bench: RelayBench,
        _ container: Container,
        _ configure: (inout Relay.Configuration) -> Void = { _ in }
    ) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configure(&configuration)
        return Relay(
            store: bench.store,
            registrar: container.resolve(),
            configuration: configuration,
            relayObservers: [bench.desk],
            clock: bench.clock,
            wallClock: bench.wallClock
        )
    }

    private nonisolated(nonsending) func deposit(
        _ amount: Int,
        _ bench: RelayBench,
        _ container: Container
    ) async throws {
        let registrar = container.resolve(DomainEventHandlerRegistrar.self)
        try await UnitOfWork(delegator: registrar, context: EntityContext(bench.store)).execute { context in
            let balance = Balance("source")
            context.insert(balance)
            balance.raiseEvent(Deposited(account: "a", amount: amount))
        }
    }
}

/// What a composition knows of events, without making anything.
@Suite struct DomainCompositionTests {
    @Test func theGraphShowsEventsSubscriptionsAndHandlers() {
        let builder = ContainerBuilder()
        builder.singleton { Journal() }
        builder.domainEvents(
            events: [Deposited.self, Noted.self],
            handlers: [NoteBefore.self, BookDeposit.self],
            staticHandlers: [Mail.self]
        )

        #expect(
            builder.graph.mermaid == """
                flowchart LR
                    n0(["Journal<br/>singleton"])
                    n1(["DomainEventHandlerRegistrar<br/>singleton"])
                    n2(["DomainEventDelegator<br/>singleton"])
                    n3[/"Deposited<br/>event"/]
                    n4[/"instance<br/>subscription"/]
                    n5[/"BookDeposit<br/>delivered"/]
                    n6{{"Desk<br/>missing"}}
                    n7[/"mail<br/>subscription"/]
                    n8[/"Mail<br/>delivered, opaque"/]
                    n9[/"Noted<br/>event"/]
                    n10[/"NoteBefore<br/>before the commit"/]
                    n1 -.->|later| n3
                    n1 -.->|later| n9
                    n2 --> n1
                    n3 -.->|later| n4
                    n3 -.->|later| n7
                    n4 -.->|later| n5
                    n5 --> n6
                    n7 -.->|later| n8
                    n9 -.->|later| n10
                    n10 --> n0
                    classDef opaque stroke-dasharray: 4 4
                    class n8 opaque
                    classDef missing stroke:#c00,color:#c00
                    class n6 missing

                """
        )
        #expect(builder.graph.opaque.map { ObjectIdentifier($0) } == [ObjectIdentifier(Mail.self)])
        #expect(builder.graph.dot.contains("n4 [label=\"instance\\nsubscription\"]"))
    }

    @Test func whatAHandlerNeedsAndNothingGivesIsFoundAtTheStart() throws {
        let builder = ContainerBuilder()
        builder.domainEvents(handlers: [BookDeposit.self, NoteAfter.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing, .missing])
        #expect(
            error.problems.first?.message.contains(
                """
                'HeadraceDomainTests.Desk', needed by HeadraceDomain.DomainEventDelegator → \
                HeadraceDomain.DomainEventHandlerRegistrar → HeadraceDomainTests.Deposited → 'instance' → \
                HeadraceDomainTests.BookDeposit. To fix
                """
            ) == true
        )
    }

    @Test func theContextIsGivenBeforeTheCommitAndMissingAfterIt() throws {
        let builder = ContainerBuilder()
        builder.singleton { Journal() }
        builder.domainEvents(handlers: [NoteBefore.self, ContextAfter.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
        #expect(error.problems.first?.path.last.map { ObjectIdentifier($0) } == ObjectIdentifier(EntityContext.self))
    }

    @Test func subscriptionsThatContradictOneAnotherAreAProblem() throws {
        let builder = ContainerBuilder()
        builder.singleton { Desk() }
        builder.domainEvents(handlers: [BookDeposit.self, BookDepositToo.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.invalidSubscription])
        #expect(error.problems.first?.message.contains("both state the subscriptionName 'instance'") == true)
    }

    @Test func strictlyEventsAreDeclaredAndHandledByWhatIsProved() throws {
        let builder = ContainerBuilder()
        builder.singleton { Journal() }
        builder.domainEvents(
            events: [Deposited.self, Red.Happened.self],
            handlers: [NoteAfter.self],
            staticHandlers: [JournalRed.self]
        )

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.unproved, .unhandledEvent, .undeclaredEvent])
        #expect(
            error.problems.map(\.message) == [
                """
                Nothing proves that 'HeadraceDomainTests.JournalRed' can be made. It is a static event handler, which \
                resolves by hand. To fix, let it be a '@Resolvable' type that conforms to 'HandlesDomainEvent'.
                """,
                """
                The durable event 'HeadraceDomainTests.Deposited' has no handler in this program. To fix, add one to \
                'handlers: […]', or remove the event from 'events: […]'.
                """,
                """
                The event 'HeadraceDomainTests.Noted' is handled and not declared. To fix, add \
                'HeadraceDomainTests.Noted.self' to 'events: […]'.
                """,
            ]
        )
    }

    @Test func aDomainGivesEverythingThatWorksOnItsStoreAndIsProvedStrictly() async throws {
        let bench = try RelayBench()
        let builder = ContainerBuilder()
        builder.singleton { bench.desk }
        builder.domain(
            store: bench.store,
            entities: [Balance.self],
            events: [Deposited.self],
            handlers: [BookDeposit.self],
            scheduled: [
                ScheduledCommand(Remind.self) { command, scope in
                    try scope.require(Desk.self).note("remind \(command.text)")
                }
            ]
        )
        try builder.validate(.strict)
        let container = builder.build()

        try await withRelay(container.resolve(Relay.self)) {
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            try await unitOfWork.execute { context in
                let balance = Balance("source")
                context.insert(balance)
                balance.raiseEvent(Deposited(account: "a", amount: 5))
                try context.schedule(Remind(text: "now"), at: Date())
            }
            await bench.desk.wait(for: 1, "instance")
            await bench.desk.wait(for: 1, "remind")
        }

        #expect(try await container.resolve(EntityContext.self).find(Balance.self, id: "source") != nil)
        #expect(bench.desk.lines.contains("remind now"))
    }

    @Test func anEntityThatTheStoreWasNotOpenedWithIsAProblem() throws {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: [Balance.self]), entities: [Balance.self, Customer.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(
            error.problems.map(\.message) == [
                """
                The store was not opened with 'HeadraceDomainTests.Customer'. To fix, add \
                'HeadraceDomainTests.Customer.self' to the 'entities' that the store is created with.
                """
            ]
        )
    }

    @Test func strictlyAHandledCommandThatCanBeScheduledIsCarriedOut() throws {
        let store = try InMemoryStore(entities: [])
        let builder = ContainerBuilder()
        builder.domain(store: store)
        var handling = Registration(transient: Journal.self, dependencies: Dependencies()) { _ in Journal() }
        handling.notes = [HandledNote(message: Remind.self), HandledNote(message: Noted.self)]
        builder.register(handling)

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                """
                'HeadraceDomainTests.Remind' can be scheduled, and no relay carries it out. To fix, add \
                'ScheduledCommand(HeadraceDomainTests.Remind.self) { … }' to 'scheduled: […]'.
                """
            ]
        )
    }
}

// MARK: - Fixtures

private func container(_ register: (ContainerBuilder) -> Void) -> Container {
    let builder = ContainerBuilder()
    register(builder)
    return builder.build()
}

struct NoteBefore: HandlesDomainEvent, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Journal.self).on(EntityContext.self) }

    private let journal: Journal
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        context = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        context.insert(Customer("noted \(event.text)"))
        journal.add("instance before \(event.text)")
    }
}

struct NoteAfter: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(Journal.self) }

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add("instance after \(event.text)")
    }
}

struct NoteActor: HandlesDomainEvent, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Journal.self) }

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add(#isolation === MainActor.shared ? "on the main actor" : "elsewhere")
    }
}

struct ContextAfter: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ event: Noted) async throws {}
}

private final class Visits: Sendable {
    private let journal = Journal()

    func count() -> Int {
        journal.add("visit")
        return journal.entries.count
    }
}

private struct CountVisit: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(Journal.self).on(Visits.self) }

    private let journal: Journal
    private let visits: Visits

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        visits = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add("\(event.text) \(visits.count())")
    }
}

/// Adds the amount to a balance, in the unit of work of the delivery.
struct BookDeposit: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "instance"
    static var dependencies: Dependencies { Dependencies().on(Desk.self).on(EntityContext.self) }

    private let desk: Desk
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        desk = scope.resolve()
        context = scope.resolve()
    }

    func handle(_ event: Deposited) async throws {
        let balance = try await context.find(Balance.self, id: event.account) ?? Balance(event.account)
        context.insert(balance)
        balance.amount += event.amount
        try await desk.perform("instance", event)
    }
}

struct BookDepositToo: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "instance"
    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ event: Deposited) async throws {}
}

struct RequiringMail: DurableDomainEventHandler {
    static let subscriptionName = "mail"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        try await resolver.require(Desk.self).perform("mail", event)
    }
}

private struct Remind: DurableCommand {
    static let commandName = "remind"
    let text: String
}

private struct HandledNote: MessageNote {
    let message: Any.Type

    static func problems(in notes: [HandledNote]) -> [CompositionProblem] { [] }
}
