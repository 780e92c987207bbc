// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// Events that a unit of work raises without an entity.
@Suite(.timeLimit(.minutes(1))) struct EventWithoutEntityTests {
    private let store: SpyStore

    init() throws {
        store = try SpyStore()
    }

    private func unitOfWork(_ delegator: any DomainEventDelegator) -> UnitOfWork<EntityContext> {
        UnitOfWork(delegator: delegator, context: EntityContext(store))
    }

    @Test func theyAreHandledInTheOrderRaisedAmongTheEventsOfEntities() async throws {
        let delegator = RecordingDelegator()

        try await unitOfWork(delegator).execute { context in
            let (one, two) = (Customer("1"), Customer("2"))
            context.insert(one)
            context.insert(two)
            context.raiseEvent(Noted("a"))
            two.raiseEvent(Noted("b"))
            context.raiseEvent(Noted("c"))
            one.raiseEvent(Noted("d"))
            context.raiseEvent(Noted("e"))
        }

        #expect(delegator.eventsBeforeCommit.texts == ["a", "b", "c", "d", "e"])
        #expect(delegator.eventsAfterCommit.texts == ["a", "b", "c", "d", "e"])
    }

    @Test func aUnitOfWorkThatFailsDropsThem() async throws {
        let delegator = RecordingDelegator()
        let unitOfWork = unitOfWork(delegator)

        await #expect(throws: Failure.self) {
            try await unitOfWork.execute { context in
                context.raiseEvent(Noted("lost"))
                context.raiseEvent(Renamed(name: "lost"))
                throw Failure()
            }
        }
        try await unitOfWork.execute { $0.raiseEvent(Noted("kept")) }

        #expect(delegator.eventsAfterCommit.texts == ["kept"])
        #expect(try await store.events(after: 0, limit: 10).isEmpty)
    }

    @Test func aDurableEventIsStoredWithTheEntityThatItBelongsTo() async throws {
        let source = EntityReference(kind: Customer.entityName, key: "1")

        try await unitOfWork(RecordingDelegator()).execute { context in
            context.raiseEvent(Renamed(name: "none"))
            context.raiseEvent(Renamed(name: "one"), for: source)
        }

        let records = try await store.events(after: 0, limit: 10)
        #expect(records.map(\.event.stream) == [nil, source])
        #expect(records.map(\.event.name) == ["renamed", "renamed"])
    }

    @Test func aHandlerBeforeTheCommitRaisesAnother() async throws {
        let delegator = ScriptedDelegator { event, context in
            if (event as? Noted)?.text == "first" { context.raiseEvent(Noted("second")) }
        }

        try await unitOfWork(delegator).execute { $0.raiseEvent(Noted("first")) }

        #expect(delegator.handled == ["before first", "before second", "after first", "after second"])
    }

    @Test func anEndlessChainIsReported() async throws {
        let delegator = ScriptedDelegator { _, context in context.raiseEvent(Noted("again")) }

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork(delegator).execute { $0.raiseEvent(Noted("first")) }
        }

        #expect(error?.code == .endlessEvents)
        #expect(store.commits.isEmpty)
    }

    @Test func aNestedUnitOfWorkRaisesThemInTheOuterOne() async throws {
        let delegator = RecordingDelegator()
        let (inner, outer) = (unitOfWork(delegator), unitOfWork(delegator))

        try await outer.execute { context in
            context.raiseEvent(Noted("outer"))
            try await inner.execute { $0.raiseEvent(Noted("inner")) }
            #expect(delegator.eventsBeforeCommit.isEmpty)
        }

        #expect(delegator.eventsAfterCommit.texts == ["outer", "inner"])
    }
}
