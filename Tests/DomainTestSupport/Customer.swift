// SPDX-License-Identifier: Apache-2.0

package import HeadraceDomain

/// The entity of most tests.
package final class Customer: StoredEntity {
    package static let entityName = "customer"
    package static var indexes: [EntityIndex<Customer>] { [.email, .age, .tag] }

    package let id: String
    package var email: String?
    package var age: Int?
    package var tags: [String]
    package var raisedEvents = RaisedEvents()

    package init(_ id: String, email: String? = nil, age: Int? = nil, tags: [String] = []) {
        self.id = id
        self.email = email
        self.age = age
        self.tags = tags
    }
}

extension EntityIndex<Customer> {
    package static var email: Self { EntityIndex("email", unique: true) { $0.email } }
    package static var age: Self { EntityIndex("age") { $0.age } }
    package static var tag: Self { EntityIndex("tag", each: { $0.tags }) }
}

/// An entity of another type, which the stores of the tests know.
package final class Order: StoredEntity {
    package static let entityName = "order"

    package let id: Int
    package var raisedEvents = RaisedEvents()

    package init(_ id: Int) {
        self.id = id
    }
}

/// An event that is kept in memory only.
package struct Noted: DomainEvent, Equatable {
    package var text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// An event that is kept in the log.
package struct Renamed: DurableDomainEvent, Equatable {
    package static let eventName = "renamed"
    package static let eventVersion = 3

    package var name: String

    package init(name: String) {
        self.name = name
    }
}

package struct Failure: Error, Equatable {
    package var text: String

    package init(text: String = "failed") {
        self.text = text
    }
}

extension [any DomainEvent] {
    /// The texts of the notes, in order.
    package var texts: [String] {
        map { ($0 as? Noted)?.text ?? "\($0)" }
    }
}
