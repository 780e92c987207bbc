//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceDomain

/// What the tests store.
final class Customer: StoredEntity {
    static let entityName = "customer"
    static var indexes: [EntityIndex<Customer>] { [.email, .age, .tag] }

    let id: String
    var email: String?
    var age: Int?
    var tags: [String]
    var raisedEvents = RaisedEvents()

    init(_ id: String, email: String? = nil, age: Int? = nil, tags: [String] = []) {
        self.id = id
        self.email = email
        self.age = age
        self.tags = tags
    }
}

extension EntityIndex<Customer> {
    static var email: Self { EntityIndex("email", unique: true) { $0.email } }
    static var age: Self { EntityIndex("age") { $0.age } }
    static var tag: Self { EntityIndex("tag", each: { $0.tags }) }
}

/// An entity of another kind, known to the tests' stores.
final class Order: StoredEntity {
    static let entityName = "order"

    let id: Int
    var raisedEvents = RaisedEvents()

    init(_ id: Int) {
        self.id = id
    }
}

/// Something that happened, kept in memory only.
struct Noted: DomainEvent, Equatable {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Something that happened, kept in the log.
struct Renamed: DurableDomainEvent, Equatable {
    static let eventName = "renamed"
    static let eventVersion = 3

    var name: String
}

struct Failure: Error, Equatable {
    var text = "failed"
}

extension [any DomainEvent] {
    /// The texts of the notes, in order.
    var texts: [String] {
        map { ($0 as? Noted)?.text ?? "\($0)" }
    }
}
