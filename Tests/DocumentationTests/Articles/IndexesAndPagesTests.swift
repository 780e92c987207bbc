// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Ticket: StoredEntity {
    static let entityName = "ticket"
    static var indexes: [EntityIndex<Ticket>] { [.number, .project, .priority, .label, .status] }

    let id: UUID
    let number: String
    let project: String
    var priority: Int?
    var labels: [String]
    var status = Status.open
    var raisedEvents = RaisedEvents()

    init(_ number: String, project: String, priority: Int? = nil, labels: [String] = []) {
        id = .version7()
        self.number = number
        self.project = project
        self.priority = priority
        self.labels = labels
    }
}

private enum Status: String, Codable { case open, closed }

extension EntityIndex<Ticket> {
    fileprivate static var number: Self { EntityIndex("number", unique: true) { $0.number } }
    fileprivate static var project: Self { EntityIndex("project") { $0.project } }
    fileprivate static var priority: Self { EntityIndex("priority") { $0.priority } }
    fileprivate static var label: Self { EntityIndex("label", each: { $0.labels }) }
    fileprivate static var status: Self { EntityIndex("status") { $0.status } }
}

@Suite struct IndexesAndPagesTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Ticket.self])
    }

    private func insert(_ tickets: Ticket...) async throws {
        let context = EntityContext(store)
        for ticket in tickets { context.insert(ticket) }
        try await context.commit([])
    }

    private func fill() async throws {
        try await insert(
            Ticket("A-1", project: "dam", priority: 1),
            Ticket("A-2", project: "dam", priority: 3, labels: ["bug", "urgent"]),
            Ticket("A-3", project: "dam", priority: 2, labels: ["bug"]),
            Ticket("A-4", project: "dam"),
            Ticket("B-1", project: "lock", priority: 3)
        )
    }

    @Test func conditionsAndOrderSelectTheUrgentTickets() async throws {
        try await fill()
        let context = EntityContext(store)

        let urgent = try await context.fetch(
            Ticket.self,
            where: [.equals(.project, "dam"), .isAtLeast(.priority, 2)],
            orderedBy: .descending(.priority),
            limit: 20
        )

        #expect(urgent.map(\.number) == ["A-2", "A-3"])
    }

    private func numbers(where condition: EntityCondition<Ticket>) async throws -> [String] {
        try await EntityContext(store).fetch(Ticket.self, where: [condition], orderedBy: .ascending(.number)).map(
            \.number)
    }

    @Test func eachConditionTestsOneValue() async throws {
        try await fill()

        #expect(try await numbers(where: .equals(.label, "bug")) == ["A-2", "A-3"])
        #expect(try await numbers(where: .isOneOf(.number, ["A-1", "B-1", "C-1"])) == ["A-1", "B-1"])
        #expect(try await numbers(where: .isAtLeast(.priority, 2)) == ["A-2", "A-3", "B-1"])
        #expect(try await numbers(where: .isBelow(.priority, 2)) == ["A-1"])
        #expect(try await numbers(where: .isIn(.priority, 1..<3)) == ["A-1", "A-3"])
    }

    @Test func aConditionNamesTheTypeOfAnEnumeration() async throws {
        try await fill()
        let context = EntityContext(store)

        let open = try await context.fetch(Ticket.self, where: [.equals(.status, Status.open)])

        #expect(open.count == 5)
        #expect(try await context.fetch(Ticket.self, where: [.equals(.status, Status.closed)]).isEmpty)
    }

    @Test func aCountReadsNoTicket() async throws {
        try await fill()
        let context = EntityContext(store)

        let open = try await context.count(Ticket.self, where: [.equals(.status, Status.open)])

        #expect(open == 5)
    }

    @Test func anEntityWithoutAValueMatchesNoConditionAndHasNoPlaceInTheOrder() async throws {
        try await fill()

        #expect(try await numbers(where: .isAtLeast(.priority, Int.min)) == ["A-1", "A-2", "A-3", "B-1"])
        let ordered = try await EntityContext(store).fetch(Ticket.self, orderedBy: .ascending(.priority))
        #expect(ordered.map(\.number) == ["A-1", "A-3", "A-2", "B-1"])
    }

    @Test func textIsOrderedByItsBytes() async throws {
        try await insert(Ticket("a", project: "x"), Ticket("B", project: "x"))

        let tickets = try await EntityContext(store).fetch(Ticket.self, orderedBy: .ascending(.number))

        #expect(tickets.map(\.number) == ["B", "a"])
    }

    @Test func aFetchSeesTheChangesOfItsUnitOfWork() async throws {
        try await fill()
        let delegator = RecordingDelegator()

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let ticket = try await context.fetch(Ticket.self, where: [.equals(.number, "A-1")]).first
            ticket?.priority = 9
            let urgent = try await context.fetch(Ticket.self, where: [.isAtLeast(.priority, 9)])
            #expect(urgent.map(\.number) == ["A-1"])
        }
    }

    @Test func aValueInAUniqueIndexBelongsToOneEntity() async throws {
        try await fill()

        let error = await #expect(throws: StoreError.self) { try await insert(Ticket("A-1", project: "lock")) }

        #expect(error?.code == .uniqueViolation)
    }

    @Test func aCursorContinuesAfterThePage() async throws {
        try await fill()
        let context = EntityContext(store)

        let first = try await context.page(Ticket.self, orderedBy: .ascending(.number), limit: 3)
        let text = first.next.map { "\($0)" }  // letters, digits, - and _: fit for a URL

        let cursor = text.flatMap { PageCursor($0) }
        let second = try await context.page(
            Ticket.self,
            orderedBy: .ascending(.number),
            after: cursor,
            limit: 3
        )
        #expect(first.entities.map(\.number) == ["A-1", "A-2", "A-3"])
        #expect(second.entities.map(\.number) == ["A-4", "B-1"])
        #expect(second.next == nil)
    }

    @Test func anEntityThatMovesBetweenPagesCanOccurTwice() async throws {
        try await fill()
        let order = EntityOrder<Ticket>.ascending(.priority)
        let first = try await EntityContext(store).page(Ticket.self, orderedBy: order, limit: 1)
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
            try await context.fetch(Ticket.self, where: [.equals(.number, "A-1")]).first?.priority = 9
        }

        let rest = try await EntityContext(store).page(Ticket.self, orderedBy: order, after: first.next, limit: 9)

        #expect(first.entities.map(\.number) == ["A-1"])
        #expect(rest.entities.map(\.number) == ["A-3", "A-2", "B-1", "A-1"])
    }
}
