//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which documents of one kind a store is to give, and in which order.
public struct DocumentQuery: Sendable {
    /// What a document must have in one index.
    public struct Condition: Sendable {
        /// The name of the index.
        public let index: String

        /// What at least one of its values must pass.
        public let test: IndexPredicate

        /// Creates a condition.
        public init(index: String, test: IndexPredicate) {
            self.index = index
            self.test = test
        }
    }

    /// By which values documents are ordered.
    public struct Order: Sendable {
        /// The name of the index.
        public let index: String

        /// Whether the greatest comes first, of equal ones the greatest key.
        public let isDescending: Bool

        /// Creates an order.
        public init(index: String, isDescending: Bool) {
            self.index = index
            self.isDescending = isDescending
        }
    }

    /// Where a document stands in an order.
    public struct Place: Hashable, Sendable {
        /// Its value in the index of the order; `nil` where documents are ordered by key.
        public let value: IndexValue?

        /// Its key.
        public let key: String

        /// Creates a place.
        public init(value: IndexValue?, key: String) {
            self.value = value
            self.key = key
        }
    }

    /// The `StoredEntity.entityName` of the documents.
    public let kind: String

    /// All of these must hold.
    public let conditions: [Condition]

    /// The order; by key, the least first, where it is `nil`.
    ///
    /// Documents without a value in the index of the order are left out, and those with several count once, by the
    /// one that comes first.
    public let order: Order?

    /// The place after which the documents begin, in the direction of the order; with the first one where it is `nil`.
    public let after: Place?

    /// How many documents are given at the most; all where it is `nil`.
    public let limit: Int?

    /// Creates a query; of all documents of the kind, by key, unless more is said.
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
    /// Whether `one` comes first in an ascending order.
    public static func < (one: Self, other: Self) -> Bool {
        if let value = one.value, let otherValue = other.value, value != otherValue { return value < otherValue }
        return BytewiseString(one.key) < BytewiseString(other.key)
    }

    /// Whether value and key are the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.value == other.value && BytewiseString(one.key) == BytewiseString(other.key)
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
        hasher.combine(BytewiseString(key))
    }
}
