//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStorage

/// What the entities that are fetched must have in one of their indexes.
public struct EntityCondition<Entity: StoredEntity>: Sendable {
    let index: EntityIndex<Entity>
    let test: IndexPredicate

    /// One of the values in `index` is `value`.
    public static func equals(_ index: EntityIndex<Entity>, _ value: some IndexValueConvertible) -> Self {
        EntityCondition(index: index, test: .oneOf([value.indexValue]))
    }

    /// One of the values in `index` is among `values`.
    public static func isOneOf(_ index: EntityIndex<Entity>, _ values: [some IndexValueConvertible]) -> Self {
        EntityCondition(index: index, test: .oneOf(Set(values.map(\.indexValue))))
    }

    /// One of the values in `index` is `value` or greater.
    public static func isAtLeast(_ index: EntityIndex<Entity>, _ value: some IndexValueConvertible) -> Self {
        EntityCondition(index: index, test: .range(from: value.indexValue, below: nil))
    }

    /// One of the values in `index` is less than `value`.
    public static func isBelow(_ index: EntityIndex<Entity>, _ value: some IndexValueConvertible) -> Self {
        EntityCondition(index: index, test: .range(from: nil, below: value.indexValue))
    }

    /// One of the values in `index` is in `range`.
    public static func isIn<Value: IndexValueConvertible & Comparable>(
        _ index: EntityIndex<Entity>,
        _ range: Range<Value>
    ) -> Self {
        EntityCondition(
            index: index,
            test: .range(from: range.lowerBound.indexValue, below: range.upperBound.indexValue)
        )
    }
}

/// In which order entities are fetched: by a value in an index, or by their keys.
public struct EntityOrder<Entity: StoredEntity>: Sendable {
    let index: EntityIndex<Entity>
    let isDescending: Bool

    /// The least value first; equal ones by key.
    ///
    /// An entity without a value in `index` is left out; one with several counts once, by its least.
    public static func ascending(_ index: EntityIndex<Entity>) -> Self {
        EntityOrder(index: index, isDescending: false)
    }

    /// The greatest value first; equal ones by key, the greatest first too.
    ///
    /// An entity without a value in `index` is left out; one with several counts once, by its greatest.
    public static func descending(_ index: EntityIndex<Entity>) -> Self {
        EntityOrder(index: index, isDescending: true)
    }
}
