// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
public import HeadraceStorage

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

// The declarations are disfavored, because a type with raw values can conform to 'IndexValueConvertible', too.

extension EntityIndex {
    /// Creates an index with the raw value of one value for each entity, or none if `value` returns `nil`.
    ///
    /// ```swift
    /// enum Status: String, Codable { case open, closed }
    ///
    /// static var status: Self { EntityIndex("status") { $0.status } }
    ///
    /// let open = try await context.fetch(Ticket.self, where: [.equals(.status, Status.open)])
    /// ```
    @_disfavoredOverload
    public init<Value: RawRepresentable & SendableMetatype>(
        _ name: String,
        unique: Bool = false,
        _ value: @escaping @Sendable (Entity) -> Value?
    ) where Value.RawValue: IndexValueConvertible {
        self.init(name, unique: unique) { value($0)?.rawValue }
    }

    /// Creates an index with the raw values of any number of values for each entity; duplicate values count once.
    @_disfavoredOverload
    public init<Value: RawRepresentable & SendableMetatype>(
        _ name: String,
        unique: Bool = false,
        each values: @escaping @Sendable (Entity) -> [Value]
    ) where Value.RawValue: IndexValueConvertible {
        self.init(name, unique: unique, each: { values($0).map(\.rawValue) })
    }
}

extension EntityCondition {
    /// One of the values in `index` is the raw value of `value`.
    @_disfavoredOverload
    public static func equals<Value: RawRepresentable>(_ index: EntityIndex<Entity>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        equals(index, value.rawValue)
    }

    /// One of the values in `index` is the raw value of one of `values`.
    @_disfavoredOverload
    public static func isOneOf<Value: RawRepresentable>(_ index: EntityIndex<Entity>, _ values: [Value]) -> Self
    where Value.RawValue: IndexValueConvertible {
        isOneOf(index, values.map(\.rawValue))
    }

    /// One of the values in `index` is the raw value of `value` or greater.
    @_disfavoredOverload
    public static func isAtLeast<Value: RawRepresentable>(_ index: EntityIndex<Entity>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        isAtLeast(index, value.rawValue)
    }

    /// One of the values in `index` is less than the raw value of `value`.
    @_disfavoredOverload
    public static func isBelow<Value: RawRepresentable>(_ index: EntityIndex<Entity>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        isBelow(index, value.rawValue)
    }
}

/// A value that can be stored in an index.
public protocol IndexValueConvertible: SendableMetatype {
    /// The value in the index, which determines the order.
    var indexValue: IndexValue { get }
}

extension String: IndexValueConvertible {
    /// The text.
    public var indexValue: IndexValue { .text(self) }
}

extension Int: IndexValueConvertible {
    /// The number.
    public var indexValue: IndexValue { .integer(Int64(self)) }
}

extension Int64: IndexValueConvertible {
    /// The number.
    public var indexValue: IndexValue { .integer(self) }
}

extension Bool: IndexValueConvertible {
    /// 0 or 1.
    public var indexValue: IndexValue { .integer(self ? 1 : 0) }
}

extension UUID: IndexValueConvertible {
    /// The usual form in lower case.
    public var indexValue: IndexValue { .text(storageKey) }
}

extension Date: IndexValueConvertible {
    /// Microseconds since 1970, rounded down and clamped to the range of `Int64`.
    public var indexValue: IndexValue {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded(.down)
        return .integer(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension IndexValueConvertible where Self: RawRepresentable, RawValue: IndexValueConvertible {
    /// The index value of the raw value.
    public var indexValue: IndexValue { rawValue.indexValue }
}

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

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension EntityIndex {
    /// Explains why the type of a value is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public init<Value>(
        _ name: String,
        unique: Bool = false,
        _ value: @escaping @Sendable (Entity) -> Value?
    ) {
        self.init(name) { _ in "" }
    }

    /// Explains why the type of the values is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public init<Value>(
        _ name: String,
        unique: Bool = false,
        each values: @escaping @Sendable (Entity) -> [Value]
    ) {
        self.init(name) { _ in "" }
    }
}

extension EntityCondition {
    /// Explains why the type of a value is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public static func equals<Value>(_ index: EntityIndex<Entity>, _ value: Value) -> Self { equals(index, "") }

    /// Explains why the type of the values is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public static func isOneOf<Value>(_ index: EntityIndex<Entity>, _ values: [Value]) -> Self { equals(index, "") }
}
