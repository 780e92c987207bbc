// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// An index by which the entities of a type can be fetched without reading all of them.
///
/// ```swift
/// extension EntityIndex<Order> {
///     static var customer: Self { EntityIndex("customer") { $0.customerId } }
///     static var tag: Self { EntityIndex("tag", each: { $0.tags }) }
/// }
///
/// let orders = try await context.fetch(Order.self, where: [.equals(.customer, id)])
/// ```
public struct EntityIndex<Entity: StoredEntity>: Sendable {
    /// The name of the index, unique within its type.
    ///
    /// The name is stored. If it changes, the store rebuilds the index.
    package let name: String

    /// Whether each value belongs to at most one entity.
    package let isUnique: Bool

    /// Whether each entity has at most one value.
    let holdsOneValue: Bool

    /// Returns the values of an entity, in any order and possibly with duplicates.
    let values: @Sendable (Entity) -> [IndexValue]

    /// Creates an index with one value for each entity, or none if `value` returns `nil`.
    public init(
        _ name: String,
        unique: Bool = false,
        _ value: @escaping @Sendable (Entity) -> (some IndexValueConvertible)?
    ) {
        self.name = name
        isUnique = unique
        holdsOneValue = true
        values = { entity in value(entity).map { [$0.indexValue] } ?? [] }
    }

    /// Creates an index with any number of values for each entity; duplicate values count once.
    public init(
        _ name: String,
        unique: Bool = false,
        each values: @escaping @Sendable (Entity) -> [some IndexValueConvertible]
    ) {
        self.name = name
        isUnique = unique
        holdsOneValue = false
        self.values = { entity in values(entity).map(\.indexValue) }
    }
}
