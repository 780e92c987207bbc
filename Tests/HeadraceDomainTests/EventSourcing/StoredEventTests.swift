// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

/// The events of a commit are the events that a later load reads.
@Suite struct StoredEventTests {
    private let store: InMemoryStore
    private let reference = EntityReference(kind: "meter", key: "a")

    init() throws {
        store = try InMemoryStore(entities: [Meter.self, Account.self])
    }

    @Test(arguments: [true, false])
    func anEventThatDoesNotDecodeItsOwnJSONIsRefused(isNew: Bool) async throws {
        let error = try await refusal(isNew: isNew) { $0.raiseEvent(Measured(units: -1)) }

        #expect(error?.code == .unreadableEvent)
        #expect(error?.entity == reference)
        #expect(error?.eventNumber == (isNew ? 1 : 2))
        #expect(error?.cause is DecodingError)
        #expect(error?.message.contains("Measured' doesn't decode") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [true, false])
    func anEffectOfAMemberThatTheEventDoesNotEncodeIsRefused(isNew: Bool) async throws {
        let error = try await refusal(isNew: isNew) { $0.raiseEvent(Corrected(units: 1, factor: 2)) }

        #expect(error?.code == .stateMismatch)
        #expect(error?.entity == reference)
    }

    // MARK: Callers that don't know the type

    @Test func anEventThatGenericCodeRaisesIsAppliedAndInTheStream() async throws {
        func raise(_ event: some DomainEvent, on entity: some HasDomainEvents) { entity.raiseEvent(event) }
        let context = EntityContext(store)
        let meter = Meter(id: "a")
        let hidden: any HasDomainEvents = meter
        let event: any DomainEvent = Measured(units: 3)
        context.insert(meter)

        raise(Measured(units: 1), on: meter)
        hidden.raiseEvent(Measured(units: 2))
        meter.raiseEvent(event)
        raise(Noticed(), on: meter)
        #expect(meter.units == 6)
        try await context.commit(context.takeEvents())

        #expect(try await EntityContext(store).find(Meter.self, id: "a")?.units == 6)
        #expect(try await EntityContext(store).history(of: Meter.self, id: "a", limit: 9).count == 3)
    }

    @Test func anEventThatABaseClassRaisesWithoutItsEffectIsRefused() async throws {
        func raise(_ event: some DomainEvent, on entity: some HasDomainEvents) { entity.raiseEvent(event) }
        let context = EntityContext(store)
        let account = Account(id: "a")
        context.insert(account)
        account.raiseEvent(Measured(units: 1))
        raise(Noticed(), on: account)
        raise(Measured(units: 2), on: account)
        let events = context.takeEvents()
        #expect(events.count == 3)

        let error = await caught(EventSourcingError.self) { try await context.commit(events) }

        #expect(error?.code == .stateMismatch)
        #expect(error?.entity == EntityReference(kind: "account", key: "a"))
        #expect(error?.message.contains("Measured' without applying it") == true, "\(error?.message ?? "")")
        #expect(try await store.find(EntityReference(kind: "account", key: "a")) == nil)
    }

    /// Returns the error of a commit, which must change nothing.
    private func refusal(isNew: Bool, _ change: (Meter) -> Void) async throws -> EventSourcingError? {
        if !isNew {
            let first = EntityContext(store)
            let meter = Meter(id: "a")
            meter.raiseEvent(Measured(units: 1))
            first.insert(meter)
            try await first.commit(first.takeEvents())
        }
        let before = try await store.fetch(DocumentQuery(kind: "meter.stream"))
        let context = EntityContext(store)
        let meter = try await context.find(Meter.self, id: "a") ?? Meter(id: "a")
        context.insert(meter)
        change(meter)
        let events = context.takeEvents()

        let error = await caught(EventSourcingError.self) { try await context.commit(events) }

        #expect(try await store.fetch(DocumentQuery(kind: "meter.stream")) == before)
        #expect(try await store.events(after: 0, limit: 9).count == (isNew ? 0 : 1))
        #expect(try await EntityContext(store).find(Meter.self, id: "a")?.units == (isNew ? nil : 1))
        return error
    }
}

private struct Noticed: DomainEvent {}

/// An event that accepts fewer values when it is decoded.
private struct Measured: DurableDomainEvent {
    static let eventName = "measured"
    var units: Int

    init(units: Int) { self.units = units }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        units = try container.decode(Int.self, forKey: .units)
        if units < 0 {
            throw DecodingError.dataCorruptedError(forKey: .units, in: container, debugDescription: "A negative number")
        }
    }
}

/// An event with a member that isn't stored.
private struct Corrected: DurableDomainEvent {
    private enum CodingKeys: CodingKey { case units }

    static let eventName = "corrected"
    var units: Int
    var factor = 1
}

private final class Meter: EventSourcedEntity {
    static let entityName = "meter"
    static var appliedEvents: [AppliedEvent<Meter>] {
        [
            .on(Measured.self) { meter, event in meter.units += event.units },
            .on(Corrected.self) { meter, event in meter.units += event.units * event.factor },
        ]
    }

    let id: String
    private(set) var units = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private class Aggregate: HasDomainEvents {
    var raisedEvents = RaisedEvents()
}

private final class Account: Aggregate, EventSourcedEntity {
    static let entityName = "account"
    static var appliedEvents: [AppliedEvent<Account>] {
        [.on(Measured.self) { account, event in account.units += event.units }]
    }

    let id: String
    private(set) var units = 0

    init(id: String) { self.id = id }
}
