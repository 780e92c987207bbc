// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// A condition on the values of an entity in one index.
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

    /// One of the values in `index` is a text whose bytes are those of `start` or greater, and less than those of `end`.
    ///
    /// A `Range<String>` can't say that, because Swift compares characters.
    package static func isText(in index: EntityIndex<Entity>, from start: String, below end: String) -> Self {
        EntityCondition(index: index, test: .range(from: .text(start), below: .text(end)))
    }
}

/// The order of fetched entities: by the values in an index, or by their keys.
public struct EntityOrder<Entity: StoredEntity>: Sendable {
    let index: EntityIndex<Entity>
    let isDescending: Bool

    /// Orders by value, then by key, both ascending.
    ///
    /// An entity without a value in `index` is left out. An entity with several values occurs once, at its least value.
    public static func ascending(_ index: EntityIndex<Entity>) -> Self {
        EntityOrder(index: index, isDescending: false)
    }

    /// Orders by value, then by key, both descending.
    ///
    /// An entity without a value in `index` is left out. An entity with several values occurs once, at its greatest
    /// value.
    public static func descending(_ index: EntityIndex<Entity>) -> Self {
        EntityOrder(index: index, isDescending: true)
    }
}
