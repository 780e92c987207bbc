// SPDX-License-Identifier: Apache-2.0

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
