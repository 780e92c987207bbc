// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An entity in the form in which a store keeps it.
public struct StoredDocument: Hashable, Sendable {
    /// The entity.
    public let reference: EntityReference

    /// Number of times that the entity was written, counting from 1.
    public let version: Int

    /// The schema version of the type at the time of writing.
    public let schemaVersion: Int

    /// The JSON, in UTF-8.
    public let json: Data

    /// Creates a document.
    public init(reference: EntityReference, version: Int, schemaVersion: Int, json: Data) {
        self.reference = reference
        self.version = version
        self.schemaVersion = schemaVersion
        self.json = json
    }
}

/// A query for documents of one kind, with conditions and an order.
public struct DocumentQuery: Sendable {
    /// A condition on the values of a document in one index.
    public struct Condition: Sendable {
        /// The name of the index.
        public let index: String

        /// The predicate that at least one of the values must match.
        public let test: IndexPredicate

        /// Creates a condition.
        public init(index: String, test: IndexPredicate) {
            self.index = index
            self.test = test
        }
    }

    /// An order by the values in one index.
    public struct Order: Sendable {
        /// The name of the index.
        public let index: String

        /// Whether the order is descending; documents with equal values are ordered by key in the same direction.
        public let isDescending: Bool

        /// Creates an order.
        public init(index: String, isDescending: Bool) {
            self.index = index
            self.isDescending = isDescending
        }
    }

    /// The position of a document in an order.
    public struct Place: Hashable, Sendable {
        /// The value of the document in the index of the order, or `nil` if documents are ordered by key.
        public let value: IndexValue?

        /// The key of the document.
        public let key: String

        /// Creates a place.
        public init(value: IndexValue?, key: String) {
            self.value = value
            self.key = key
        }
    }

    /// The `StoredEntity.entityName` of the documents.
    public let kind: String

    /// The conditions, which must all hold.
    public let conditions: [Condition]

    /// The order, or `nil` for ascending keys.
    ///
    /// A document without a value in the index of the order is left out. A document with several values occurs once, at
    /// the first of its values in the order.
    public let order: Order?

    /// The place after which the results begin, in the direction of the order, or `nil` to begin with the first
    /// document.
    public let after: Place?

    /// Maximum number of documents, or `nil` for all.
    public let limit: Int?

    /// Creates a query; by default, it matches all documents of the kind, ordered by key.
    public init(
        kind: String,
        conditions: [Condition] = [],
        order: Order? = nil,
        after: Place? = nil,
        limit: Int? = nil
    ) {
        self.kind = kind
        self.conditions = conditions
        self.order = order
        self.after = after
        self.limit = limit
    }
}

extension DocumentQuery.Place: Comparable {
    /// Whether `one` precedes `other` in an ascending order.
    public static func < (one: Self, other: Self) -> Bool {
        if let value = one.value, let otherValue = other.value, value != otherValue { return value < otherValue }
        return BytewiseString(one.key) < BytewiseString(other.key)
    }

    /// Whether value and key have the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.value == other.value && BytewiseString(one.key) == BytewiseString(other.key)
    }

    /// Hashes the bytes of value and key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
        hasher.combine(BytewiseString(key))
    }
}

/// A predicate on one value in an index.
public enum IndexPredicate: Hashable, Sendable {
    /// The value is in the set.
    case oneOf(Set<IndexValue>)

    /// The value is at least `from` and less than `below`; a bound that is `nil` is ignored.
    case range(from: IndexValue?, below: IndexValue?)

    /// Whether `value` matches.
    public func accepts(_ value: IndexValue) -> Bool {
        switch self {
        case .oneOf(let values):
            values.contains(value)
        case .range(let lower, let upper):
            lower.map { value >= $0 } ?? true && upper.map { value < $0 } ?? true
        }
    }
}

/// A document with its entries in all declared indexes.
package struct IndexedDocument: Sendable {
    let document: StoredDocument

    /// The entries in all declared indexes.
    package let entries: Set<ChangeSet.IndexEntry>

    /// Creates a pair of a document and its entries.
    package init(_ document: StoredDocument, _ entries: Set<ChangeSet.IndexEntry>) {
        self.document = document
        self.entries = entries
    }

    /// The reference of the document.
    package var reference: EntityReference { document.reference }

    /// Returns the entries in one index.
    package func entries(in index: String) -> Set<ChangeSet.IndexEntry> {
        entries.filter { $0.index == index }
    }
}

extension DocumentQuery {
    /// The names of the indexes that the query uses.
    package var indexes: Set<String> {
        Set(conditions.map(\.index) + (order.map { [$0.index] } ?? []))
    }

    /// Returns the query with a limit that still suffices after `count` of its results are removed.
    package func widened(by count: Int) -> DocumentQuery {
        let wider = limit.flatMap { limit in
            let (sum, isTooLarge) = max(0, limit).addingReportingOverflow(count)
            return isTooLarge ? nil : sum
        }
        return DocumentQuery(kind: kind, conditions: conditions, order: order, after: after, limit: wider)
    }

    /// Corrects the results of the query, as far as documents have other entries than the stored indexes.
    ///
    /// - Parameters:
    ///   - found: The results of the query ``widened(by:)`` the number of `outdated` documents.
    ///   - outdated: All documents of the kind whose stored entries are out of date, from the same snapshot.
    /// - Returns: The results that complete indexes would have, in the order of the query.
    package func corrected(_ found: [IndexedDocument], outdated: [IndexedDocument]) -> [StoredDocument] {
        let keys = Set(outdated.map { BytewiseString($0.document.reference.key) })
        var results: [(place: Place, document: StoredDocument)] = []
        for item in found where !keys.contains(BytewiseString(item.document.reference.key)) {
            results.append((place(of: item) ?? Place(value: nil, key: item.document.reference.key), item.document))
        }
        let isDescending = order?.isDescending ?? false
        for item in outdated where isMatch(item.entries) {
            guard let place = place(of: item) else { continue }
            if let after, isDescending ? place >= after : place <= after { continue }
            results.append((place, item.document))
        }
        results.sort { isDescending ? $0.place > $1.place : $0.place < $1.place }
        return results.prefix(max(0, limit ?? .max)).map(\.document)
    }

    private func isMatch(_ entries: Set<ChangeSet.IndexEntry>) -> Bool {
        conditions.allSatisfy { condition in
            entries.contains { $0.index == condition.index && condition.test.accepts($0.value) }
        }
    }

    /// Returns the place of a document in the order, or `nil` if it has no value there.
    private func place(of item: IndexedDocument) -> Place? {
        let key = item.document.reference.key
        guard let order else { return Place(value: nil, key: key) }
        let values = item.entries.lazy.filter { $0.index == order.index }.map(\.value)
        return (order.isDescending ? values.max() : values.min()).map { Place(value: $0, key: key) }
    }
}
