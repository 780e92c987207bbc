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
        public let test: IndexTest

        /// Creates a condition.
        public init(index: String, test: IndexTest) {
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

    /// The ``StoredEntity/entityName`` of the documents.
    public let kind: String

    /// All of these must hold.
    public let conditions: [Condition]

    /// The order; by key, the least first, where it is `nil`.
    ///
    /// Documents without a value in the index of the order are left out, and those with several count once, by the
    /// one that comes first.
    public let order: Order?

    /// How many documents are given at the most; all where it is `nil`.
    public let limit: Int?

    /// Creates a query; of all documents of the kind, by key, unless more is said.
    public init(kind: String, conditions: [Condition] = [], order: Order? = nil, limit: Int? = nil) {
        self.kind = kind
        self.conditions = conditions
        self.order = order
        self.limit = limit
    }
}
