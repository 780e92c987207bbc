// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// Tests which events a unit of work collects, and when they are handled.
@Suite(.timeLimit(.minutes(2))) struct UnitOfWorkEventTests {
    private let store: SpyStore

    init() throws {
        store = try SpyStore()
    }

    @Test func eventsOfAllUsedEntitiesAreHandledInTheOrderRaised() async throws {
        try await store.store(
            Customer("found"),
            Customer("fetched", tags: ["fetch"]),
            Customer("changed"),
            Customer("deleted")
        )
        let delegator = RecordingDelegator()

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let fetched = try #require(try await context.fetch(Customer.self, where: [.equals(.tag, "fetch")]).first)
            let deleted = try #require(try await context.find(Customer.self, id: "deleted"))
            let found = try #require(try await context.find(Customer.self, id: "found"))
            let changed = try #require(try await context.find(Customer.self, id: "changed"))
            let inserted = Customer("inserted")
            for round in 1...2 {
                inserted.raiseEvent(Noted("inserted \(round)"))
                changed.raiseEvent(Noted("changed \(round)"))
                found.raiseEvent(Noted("found \(round)"))
                deleted.raiseEvent(Noted("deleted \(round)"))
                fetched.raiseEvent(Noted("fetched \(round)"))
            }
            changed.age = 1
            context.delete(deleted)
            context.insert(inserted)
        }

        let expected = [
            "inserted 1", "changed 1", "found 1", "deleted 1", "fetched 1",
            "inserted 2", "changed 2", "found 2", "deleted 2", "fetched 2",
        ]
        #expect(delegator.eventsBeforeCommit.texts == expected)
        #expect(delegator.eventsAfterCommit.texts == expected)
    }

    @Test func eventsOfAReinsertedEntityAreAllCollected() async throws {
        try await store.store(Customer("a"))
        let delegator = RecordingDelegator()

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let old = try #require(try await context.find(Customer.self, id: "a"))
            old.raiseEvent(Noted("old"))
            context.delete(old)
            let new = Customer("a", age: 1)
            new.raiseEvent(Noted("new"))
            context.insert(new)
        }

        #expect(delegator.eventsAfterCommit.texts == ["old", "new"])
        #expect(try await store.version(of: "a") == 2)
    }

    @Test func anEventOfAnUnusedEntityStaysThere() async throws {
        let delegator = RecordingDelegator()
        let stranger = Customer("stranger")

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { _ in
            stranger.raiseEvent(Noted("unheard"))
        }

        #expect(delegator.eventsBeforeCommit.isEmpty)
        #expect(stranger.raisedEvents.count == 1)
    }

    @Test func handlersRunBeforeAndAfterTheCommitOfTheirEvent() async throws {
        let store = store
        let delegator = ScriptedDelegator { _, _ in
            #expect(store.commits.isEmpty)
        }

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            customer.raiseEvent(Noted("one"))
            customer.raiseEvent(Noted("two"))
            context.insert(customer)
        }

        #expect(delegator.handled == ["before one", "before two", "after one", "after two"])
        #expect(store.commits.count == 1)
    }

    @Test func changesOfHandlersJoinTheCommitAndTheirEventsAreHandledInTurn() async throws {
        try await store.store(Customer("other"))
        let delegator = ScriptedDelegator { event, context in
            guard let note = event as? Noted, note.text != "third" else { return }
            let other = try #require(try await context.find(Customer.self, id: "other"))
            other.tags.append(note.text)
            other.raiseEvent(Noted(note.text == "first" ? "second" : "third"))
        }

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            customer.raiseEvent(Noted("first"))
            context.insert(customer)
        }

        #expect(
            delegator.handled == [
                "before first", "before second", "before third", "after first", "after second", "after third",
            ]
        )
        #expect(store.commits.map(\.writes.count) == [2])
        let tags = try await EntityContext(store).find(Customer.self, id: "other")?.tags
        #expect(tags == ["first", "second"])
    }

    @Test func eventsOfOneHandlerComeAfterThoseRaisedBefore() async throws {
        let delegator = ScriptedDelegator { event, context in
            let customer = try #require(try await context.find(Customer.self, id: "a"))
            if event as? Noted == Noted("a") { customer.raiseEvent(Noted("c")) }
        }

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            customer.raiseEvent(Noted("a"))
            customer.raiseEvent(Noted("b"))
            context.insert(customer)
        }

        #expect(delegator.handled.prefix(3) == ["before a", "before b", "before c"])
    }

    @Test func endlessEventsThrowAnErrorWithTheirChain() async throws {
        let delegator = ScriptedDelegator { event, context in
            let customer = try #require(try await context.find(Customer.self, id: "a"))
            if event is Noted {
                customer.raiseEvent(Renamed(name: "again"))
            } else {
                customer.raiseEvent(Noted("again"))
            }
        }
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { context in
                let customer = Customer("a")
                customer.raiseEvent(Noted("first"))
                context.insert(customer)
            }
        }

        #expect(error?.code == .endlessEvents)
        #expect(error?.chain.count == 65)
        #expect(error?.chain.prefix(2) == ["DomainTestSupport.Noted", "DomainTestSupport.Renamed"])
        #expect(
            error?.description == """
                Pre-commit handlers raise events in an endless chain: 65 events, each the cause of the \
                next event (DomainTestSupport.Noted → DomainTestSupport.Renamed → DomainTestSupport.Noted → …). \
                Nothing was stored. To fix, find the handler that closes the loop, and raise its event only if there \
                was a change.
                """
        )
        #expect(store.commits.isEmpty)
        #expect(!delegator.handled.contains { $0.hasPrefix("after") })
    }

    @Test func manyIndependentEventsAreNoEndlessChain() async throws {
        let delegator = RecordingDelegator()

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            for number in 0..<1_000 { customer.raiseEvent(Noted("\(number)")) }
            context.insert(customer)
        }

        #expect(delegator.eventsAfterCommit.count == 1_000)
    }

    @Test func durableEventsAreLoggedWithNameVersionAndStreamOthersAreNot() async throws {
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            customer.raiseEvent(Noted("not logged"))
            customer.raiseEvent(Renamed(name: "Ada"))
            context.insert(customer)
        }

        let records = try await store.events(after: 0, limit: 10)
        #expect(records.map(\.event.name) == ["renamed"])
        #expect(records.map(\.event.version) == [3])
        #expect(records.map(\.event.stream) == [EntityReference(kind: "customer", key: "a")])
        #expect(records.map { String(decoding: $0.event.json, as: UTF8.self) } == [#"{"name":"Ada"}"#])
    }

    @Test func aContextReturnsCommittedEventsOnly() async throws {
        for name in ["Ada", "Grace", "Barbara"] {
            try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
                let customer = Customer(name)
                customer.raiseEvent(Renamed(name: name))
                context.insert(customer)
                let logged = try await context.events(after: 0, limit: 10)
                #expect(logged.count == store.commits.count)
            }
        }

        let page = try await EntityContext(store).events(after: 1, limit: 1)

        #expect(page.map(\.position) == [2])
        #expect(page.map { String(decoding: $0.event.json, as: UTF8.self) } == [#"{"name":"Grace"}"#])
    }

    @Test func anEventOfAnUnchangedEntityIsStoredWithoutAWrite() async throws {
        try await store.store(Customer("a"))

        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
            try await context.find(Customer.self, id: "a")?.raiseEvent(Renamed(name: "Ada"))
        }

        #expect(store.commits.last?.writes.count == 0)
        #expect(store.commits.last?.events.count == 1)
        #expect(try await store.version(of: "a") == 1)
    }

    @Test(arguments: ["body", "handler", "store"])
    func aFailureRollsEventsBackAndARetryRaisesThemOnce(place: String) async throws {
        try await store.store(Customer("a"), Customer("taken", email: "taken@example.org"))
        let delegator = RecordingDelegator()
        let failing = RecordingDelegator { _ in
            if place == "handler" { throw Failure() }
        }
        let context = EntityContext(store)
        let customers = [try #require(try await EntityContext(store).find(Customer.self, id: "a"))]

        for attempt in 1...2 {
            let unitOfWork = UnitOfWork(delegator: attempt == 1 ? failing : delegator, context: context)
            do {
                try await unitOfWork.execute { context in
                    let customer = try #require(try await context.find(Customer.self, id: "a"))
                    #expect(customer !== customers[0])
                    #expect(customer.age == nil)
                    customer.age = 1
                    customer.raiseEvent(Renamed(name: "Ada"))
                    if attempt == 1, place == "store" { customer.email = "taken@example.org" }
                    if attempt == 1, place == "body" { throw Failure() }
                }
                #expect(attempt == 2)
            } catch {
                #expect(attempt == 1)
                #expect(error is Failure || (error as? StoreError)?.code == .uniqueViolation)
                #expect(try await store.version(of: "a") == 1)
                #expect(try await store.events(after: 0, limit: 10).isEmpty)
            }
        }

        #expect(failing.eventsAfterCommit.isEmpty)
        #expect(delegator.eventsBeforeCommit.count == 1)
        #expect(delegator.eventsAfterCommit.count == 1)
        #expect(try await store.events(after: 0, limit: 10).count == 1)
        #expect(try await store.version(of: "a") == 2)
    }

    @Test func anEntityLosesItsEventsWhenItsUnitOfWorkFails() async throws {
        let customer = Customer("a")
        let delegator = RecordingDelegator()
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))

        await #expect(throws: Failure()) {
            try await unitOfWork.execute { context in
                context.insert(customer)
                customer.raiseEvent(Noted("dropped"))
                throw Failure()
            }
        }
        try await unitOfWork.execute { context in
            context.insert(customer)
            customer.raiseEvent(Noted("kept"))
        }

        #expect(delegator.eventsAfterCommit.texts == ["kept"])
    }
}
