// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage

/// Enumerations with raw values as values of indexes.
extension StoreContract {
    static let enumerationChecks: [Check] = [
        Check("entities are found by enumerations with raw values, and ordered by the raw values") { fixture in
            let store = try await fixture.openStore([Parcel.self])
            let context = EntityContext(store)
            context.insert(Parcel("a", .sent, .heavy, marks: [.fragile]))
            context.insert(Parcel("b", .open, .light, marks: [.fragile, .urgent]))
            context.insert(Parcel("c", .open, nil, marks: []))
            try await context.commit([])

            func keys(_ conditions: EntityCondition<Parcel>...) async throws -> [String] {
                try await EntityContext(store).fetch(Parcel.self, where: conditions).map(\.id)
            }
            try requireEqual(try await keys(.equals(.status, Parcel.Status.open)), ["b", "c"], "the open parcels")
            try requireEqual(try await keys(.isOneOf(.status, [Parcel.Status.sent])), ["a"], "the sent parcels")
            try requireEqual(try await keys(.isAtLeast(.weight, Parcel.Weight.heavy)), ["a"], "the heavy parcels")
            try requireEqual(try await keys(.isBelow(.weight, Parcel.Weight.heavy)), ["b"], "the lighter parcels")
            try requireEqual(try await keys(.equals(.mark, Parcel.Mark.urgent)), ["b"], "the urgent parcels")
            try requireEqual(try await keys(.equals(.weight, 9)), ["a"], "the parcels with a raw value")
            let ordered = try await EntityContext(store).fetch(Parcel.self, orderedBy: .descending(.weight))
            try requireEqual(ordered.map(\.id), ["a", "b"], "the parcels by weight")
        }
    ]
}

/// An entity with enumerations, one of which conforms to `IndexValueConvertible` as well.
private final class Parcel: StoredEntity {
    enum Status: String, Codable { case open, sent }
    enum Weight: Int, Codable { case light = 2, heavy = 9 }
    enum Mark: String, Codable, IndexValueConvertible { case fragile, urgent }

    static let entityName = "contract-parcel"
    static var indexes: [EntityIndex<Parcel>] { [.status, .weight, .mark] }

    let id: String
    let status: Status
    let weight: Weight?
    let marks: [Mark]
    var raisedEvents = RaisedEvents()

    init(_ id: String, _ status: Status, _ weight: Weight?, marks: [Mark]) {
        self.id = id
        self.status = status
        self.weight = weight
        self.marks = marks
    }
}

extension EntityIndex<Parcel> {
    fileprivate static var status: Self { EntityIndex("status") { $0.status } }
    fileprivate static var weight: Self { EntityIndex("weight") { $0.weight } }
    fileprivate static var mark: Self { EntityIndex("mark", each: { $0.marks }) }
}
