// SPDX-License-Identifier: Apache-2.0

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
