// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain

// The declarations are disfavored, because a type with raw values can conform to 'IndexValueConvertible', too.

extension RowIndex {
    /// Creates an index with the raw value of one value for each row, or none if `value` returns `nil`.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the indexes of the row.
    ///   - value: Returns the value of a row, such as a case of an enumeration.
    @_disfavoredOverload
    public init<Value: RawRepresentable & SendableMetatype>(
        _ name: String, _ value: @escaping @Sendable (Row) -> Value?
    )
    where Value.RawValue: IndexValueConvertible {
        self.init(name) { value($0)?.rawValue }
    }
}

extension RowCondition {
    /// The value in `index` is the raw value of `value`.
    @_disfavoredOverload
    public static func equals<Value: RawRepresentable>(_ index: RowIndex<Row>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        equals(index, value.rawValue)
    }

    /// The value in `index` is the raw value of one of `values`.
    @_disfavoredOverload
    public static func isOneOf<Value: RawRepresentable>(_ index: RowIndex<Row>, _ values: [Value]) -> Self
    where Value.RawValue: IndexValueConvertible {
        isOneOf(index, values.map(\.rawValue))
    }

    /// The value in `index` is the raw value of `value` or greater.
    @_disfavoredOverload
    public static func isAtLeast<Value: RawRepresentable>(_ index: RowIndex<Row>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        isAtLeast(index, value.rawValue)
    }

    /// The value in `index` is less than the raw value of `value`.
    @_disfavoredOverload
    public static func isBelow<Value: RawRepresentable>(_ index: RowIndex<Row>, _ value: Value) -> Self
    where Value.RawValue: IndexValueConvertible {
        isBelow(index, value.rawValue)
    }
}
