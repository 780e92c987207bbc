// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import Testing

@Suite struct EntitySchemaTests {
    @Test func twoTypesWithTheSameNameAreRefused() {
        let error = #expect(throws: StoreError.self) { try EntitySchema([Customer.self, Impostor.self]) }

        #expect(error?.code == .invalidSchema)
        #expect(
            error?.message == """
                Two types of entity have the entityName 'customer'. To fix, give each type of entity, and each index \
                of a type, a unique name.
                """
        )
    }

    @Test func anEmptyNameIsRefused() {
        let error = #expect(throws: StoreError.self) { try InMemoryStore(entities: [Nameless.self]) }

        #expect(error?.code == .invalidSchema)
        #expect(error?.message.hasPrefix("The entityName of 'HeadraceDomainTests.Nameless' is empty.") == true)
    }

    @Test func twoIndexesWithTheSameNameAreRefused() {
        let error = #expect(throws: StoreError.self) { try EntitySchema([TwoIndexes.self]) }

        #expect(error?.code == .invalidSchema)
        #expect(error?.message.hasPrefix("Two indexes of 'two-indexes' have the same name.") == true)
    }

    @Test func aSchemaKnowsKindsAndUniqueIndexes() throws {
        let schema = try EntitySchema([Customer.self, Order.self])

        #expect(schema.contains("customer"))
        #expect(!schema.contains("Customer"))
        #expect(schema.isUnique("email", of: "customer"))
        #expect(!schema.isUnique("age", of: "customer"))
        #expect(!schema.isUnique("email", of: "order"))
    }
}

final class Impostor: StoredEntity {
    static let entityName = "customer"

    var id = ""
    var raisedEvents = RaisedEvents()
}

final class Nameless: StoredEntity {
    static let entityName = ""

    var id = ""
    var raisedEvents = RaisedEvents()
}

final class TwoIndexes: StoredEntity {
    static let entityName = "two-indexes"
    static var indexes: [EntityIndex<TwoIndexes>] { [EntityIndex("id") { $0.id }, EntityIndex("id") { $0.id }] }

    var id = ""
    var raisedEvents = RaisedEvents()
}
