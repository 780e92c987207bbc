// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceDomain
import Testing

@Suite struct RaisedEventsTests {
    @Test func anEncodedEntityContainsNoEvents() throws {
        let customer = Customer("a", age: 1)
        customer.raiseEvent(Noted("hello"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys

        let json = String(decoding: try encoder.encode(customer), as: UTF8.self)

        #expect(json == #"{"age":1,"id":"a","tags":[]}"#)
    }

    @Test(arguments: ["", #","raisedEvents":{}"#, #","raisedEvents":null"#, #","raisedEvents":[1,2]"#])
    func aDecodedEntityHasNoEvents(member: String) throws {
        let json = Data(#"{"id":"a","tags":["x"]\#(member)}"#.utf8)

        let customer = try JSONDecoder().decode(Customer.self, from: json)

        #expect(customer.id == "a")
        #expect(customer.tags == ["x"])
        #expect(customer.raisedEvents.count == 0)
    }

    @Test func eventsAreNotPartOfEqualityOrHash() {
        struct Value: Hashable {
            var number = 1
            var raisedEvents = RaisedEvents()
        }
        let customer = Customer("a")
        customer.raiseEvent(Noted("hello"))

        let one = Value()
        let other = Value(raisedEvents: customer.raisedEvents)

        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }

    @Test func eventsStayInOrderUntilAUnitOfWorkTakesThem() {
        let customer = Customer("a")

        customer.raiseEvent(Noted("one"))
        customer.raiseEvent(Renamed(name: "two"))
        customer.raiseEvent(Noted("three"))

        #expect(customer.raisedEvents.count == 3)
        #expect(customer.raisedEvents.events.map { "\(type(of: $0))" } == ["Noted", "Renamed", "Noted"])
    }

    @Test func raisedEventsEncodeAndDecodeAtTheTopLevel() throws {
        let data = try JSONEncoder().encode([RaisedEvents()])

        #expect(try JSONDecoder().decode([RaisedEvents].self, from: data).count == 1)
    }
}
