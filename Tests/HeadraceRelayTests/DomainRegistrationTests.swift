// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// Tests the domain's part of a composition, without creating instances.
@Suite struct DomainRegistrationTests {
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

    @Test func validationReportsMissingDependenciesOfHandlers() throws {
        let builder = ContainerBuilder()
        builder.domainEvents(handlers: [BookDeposit.self, NoteAfter.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing, .missing])
        #expect(
            error.problems.first?.message.contains(
                """
                'HeadraceRelayTests.Desk', needed by HeadraceDomain.DomainEventDelegator → \
                HeadraceDomain.DomainEventHandlerRegistrar → HeadraceRelayTests.Deposited → 'instance' → \
                HeadraceRelayTests.BookDeposit. To fix
                """
            ) == true
        )
    }

    @Test func theContextIsAvailableOnlyBeforeTheCommit() throws {
        let builder = ContainerBuilder()
        builder.singleton { Journal() }
        builder.domainEvents(handlers: [NoteBefore.self, ContextAfter.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
        #expect(error.problems.first?.path.last.map { ObjectIdentifier($0) } == ObjectIdentifier(EntityContext.self))
    }

    @Test func contradictorySubscriptionsAreAProblem() throws {
        let builder = ContainerBuilder()
        builder.singleton { Desk() }
        builder.domainEvents(handlers: [BookDeposit.self, BookDepositToo.self])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.invalidSubscription])
        #expect(error.problems.first?.message.contains("both have the subscriptionName 'instance'") == true)
    }

    @Test func strictValidationRequiresHandlersOfTheListedEventsAndProvedHandlers() throws {
        let builder = ContainerBuilder()
        builder.singleton { Journal() }
        builder.domainEvents(
            events: [Deposited.self, Red.Happened.self],
            handlers: [NoteAfter.self],
            staticHandlers: [JournalRed.self]
        )

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.unproved, .unhandledEvent])
        #expect(
            error.problems.map(\.message) == [
                """
                Nothing proves that 'DomainTestSupport.JournalRed' can be made. It is a static event handler, which \
                resolves by hand. To fix, make it a '@Resolvable' type that conforms to 'HandlesDomainEvent'.
                """,
                """
                The durable event 'HeadraceRelayTests.Deposited' has no handler in this program. To fix, add one to \
                'handlers: […]', or remove the event from 'events: […]'.
                """,
            ]
        )
    }

    @Test func aDomainRegistersAllPartsAndPassesStrictValidation() async throws {
        let bench = try RelayBench()
        let builder = ContainerBuilder()
        builder.singleton { bench.desk }
        builder.domain(
            store: bench.store,
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

    @Test func aStoreWithoutSchedulesIsAProblemThatNamesTheType() throws {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: [Balance.self])
        builder.domain(
            store: store,
            schedules: [try RecurringSchedule("daily", .every(.seconds(86_400))) { _ in Remind(text: "") }])

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(
            error.problems.map(\.message) == [
                """
                The store was not opened with 'HeadraceProcesses.StoredSchedule'. To fix, add \
                'HeadraceProcesses.StoredSchedule.self' to the 'entities' that the store is created with.
                """
            ]
        )
    }

    @Test func aScheduledCommandWithoutAHandlerOrAnOperationIsReportedByStrictValidation() throws {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: [StoredSchedule.self])
        builder.domain(
            store: store,
            schedules: [try RecurringSchedule("daily", .every(.seconds(86_400))) { _ in Remind(text: "") }])

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                """
                A schedule sends 'HeadraceRelayTests.Remind', but no relay carries it out. To fix, add its handler to \
                'commandHandlers: […]'.
                """
            ]
        )
    }
}
