//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStorage

/// A value, or several, by which the entities of a type can be fetched without reading them all.
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
    /// The name of the index among those of its type.
    ///
    /// It is stored, so renaming it makes the index anew.
    public let name: String

    /// Whether two entities may not have the same value.
    public let isUnique: Bool

    /// Whether no entity has more than one value.
    let holdsOneValue: Bool

    /// Gives the values of an entity, in any order and some perhaps twice.
    let values: @Sendable (Entity) -> [IndexValue]

    /// Creates an index of one value for each entity, or none where `value` gives `nil`.
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

    /// Creates an index of any number of values for each entity; each value counts once.
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
