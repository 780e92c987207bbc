// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage

/// The state of an entity of the contract, as a value.
struct Draft: Codable, Sendable {
    var key: String
    var text = ""

    /// The value in the index `rank`; `nil` for no value.
    var rank: EntryValue?

    /// The values in the index `label`.
    var labels: [EntryValue] = []

    /// The values in the index `code`, which is unique.
    var codes: [EntryValue] = []
}

/// An `Encodable` value for an index.
enum EntryValue: Codable, Hashable, Sendable, IndexValueConvertible {
    case number(Int64)
    case text(String)

    var indexValue: IndexValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .text(text)
        }
    }

    /// The order of indexes, written independently of `IndexValue`.
    func precedes(_ other: EntryValue) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let other)): one < other
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let one), .text(let other)): Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
        }
    }

    func isSame(as other: EntryValue) -> Bool {
        !precedes(other) && !other.precedes(self)
    }
}

extension EntryValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    init(integerLiteral number: Int64) { self = .number(number) }
    init(stringLiteral text: String) { self = .text(text) }
}

/// The entity that the checks store.
final class ContractEntity: StoredEntity {
    static let entityName = "contract-entity"

    static var indexes: [EntityIndex<ContractEntity>] {
        [
            EntityIndex("rank") { $0.draft.rank },
            EntityIndex("label", each: { $0.draft.labels }),
            EntityIndex("code", unique: true, each: { $0.draft.codes }),
        ]
    }

    let draft: Draft
    var raisedEvents = RaisedEvents()

    var id: String { draft.key }

    init(_ draft: Draft) {
        self.draft = draft
    }
}

/// An entity of another kind, with the same keys and index names.
final class OtherContractEntity: StoredEntity {
    static let entityName = "other-contract-entity"

    static var indexes: [EntityIndex<OtherContractEntity>] {
        [EntityIndex("code", unique: true, each: { $0.draft.codes })]
    }

    let draft: Draft
    var raisedEvents = RaisedEvents()

    var id: String { draft.key }

    init(_ draft: Draft) {
        self.draft = draft
    }
}

/// An event-sourced entity of the contract.
final class Tally: EventSourcedEntity {
    static let entityName = "contract-tally"
    static let snapshotInterval = 4
    static var indexes: [EntityIndex<Tally>] { [EntityIndex("total") { $0.total }] }
    static var appliedEvents: [AppliedEvent<Tally>] {
        [.on(TallyEntry.self) { tally, event in tally.total += event.amount }]
    }

    let id: String
    private(set) var total = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

struct TallyEntry: DurableDomainEvent {
    static let eventName = "contract-tally-entry"
    var amount: Int
}

/// The tally of a later version of the program, whose state and index have other members.
final class LaterTally: EventSourcedEntity {
    static let entityName = "contract-tally"
    static let schemaVersion = 2
    static let snapshotInterval = 4
    static var indexes: [EntityIndex<LaterTally>] {
        [EntityIndex("total") { $0.sum }, EntityIndex("count") { $0.count }]
    }
    static var appliedEvents: [AppliedEvent<LaterTally>] {
        [
            .on(TallyEntry.self) { tally, event in
                tally.sum += event.amount
                tally.count += 1
            }
        ]
    }

    let id: String
    private(set) var sum = 0
    private(set) var count = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}
