// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import HeadraceDomain
import HeadraceMacros
import Observation
import Synchronization
import Testing

@Suite
struct DomainEntityUseTests {
    @Test
    func anEntityKeepsTheEventsThatItRaises() {
        let customer = Customer(name: "Ada")

        customer.place("tea")
        customer.place("milk")

        #expect(customer.raisedEvents.events.compactMap { ($0 as? OrderPlaced)?.order } == ["tea", "milk"])
    }

    @Test
    func codingLeavesTheEventsOut() throws {
        let customer = Customer(name: "Ada")
        customer.place("tea")

        let data = try JSONEncoder().encode(customer)
        let copy = try JSONDecoder().decode(Customer.self, from: data)

        #expect(try JSONSerialization.jsonObject(with: data) as? [String: String] == ["name": "Ada"])
        #expect(copy.name == "Ada" && copy.raisedEvents.count == 0)
    }

    @Test
    func aHandwrittenPropertyIsUsed() {
        let order = Order()

        order.raiseEvent(OrderPlaced(order: "tea"))

        #expect(order.raisedEvents.count == 1)
    }

    @Test
    func subclassesRaiseEventsThroughTheInheritedProperty() {
        let customer = LoyalCustomer(name: "Ada")

        customer.place("tea")

        #expect(customer.raisedEvents.count == 1)
    }

    @Test
    func publicAndNestedEntitiesRaiseEvents() {
        let entities: [any HasDomainEvents] = [PublicEntity(), Shop.Shelf()]

        for entity in entities {
            entity.raiseEvent(OrderPlaced(order: "tea"))
        }

        #expect(entities.allSatisfy { $0.raisedEvents.count == 1 })
    }

    @Test
    func raisingAnEventDoesNotNotifyObservers() {
        let basket = Basket()
        let changes = Mutex(0)

        withObservationTracking {
            _ = basket.raisedEvents.count
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        basket.raiseEvent(OrderPlaced(order: "tea"))

        #expect(changes.withLock(\.self) == 0 && basket.raisedEvents.count == 1)
    }

    @Test @MainActor
    func aMainActorEntityRaisesEventsOnTheMainActor() {
        let screen = ScreenState()

        screen.raiseEvent(OrderPlaced(order: "tea"))

        #expect(screen.raisedEvents.count == 1)
    }
}

// MARK: Fixtures

private struct OrderPlaced: DomainEvent {
    let order: String
}

@DomainEntity
private class Customer: Codable {
    let name: String

    init(name: String) {
        self.name = name
    }

    func place(_ order: String) {
        raiseEvent(OrderPlaced(order: order))
    }
}

private final class LoyalCustomer: Customer {}

@DomainEntity
private final class Order: HasDomainEvents {
    var raisedEvents = RaisedEvents()
}

private enum Shop {
    @DomainEntity
    final class Shelf {}
}

@Observable @DomainEntity
private final class Basket {
    var items: [String] = []
}

@MainActor @DomainEntity
private final class ScreenState {}
#endif
