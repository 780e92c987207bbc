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
