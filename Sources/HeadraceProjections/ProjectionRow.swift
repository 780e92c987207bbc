// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain
import HeadraceStorage

/// A row of a ``Projection``: a value that the projection computes from events.
///
/// ```swift
/// struct CustomerTotal: ProjectionRow {
///     static var indexes: [RowIndex<CustomerTotal>] { [.total] }
///
///     let id: UUID
///     var orderCount = 0
///     var total = 0
/// }
///
/// extension RowIndex<CustomerTotal> {
///     static var total: Self { RowIndex("total") { $0.total } }
/// }
/// ```
///
/// Rows are stored as JSON by `Codable`. A row needs no migration: raise the version of the projection if its rows change, and
/// they are computed again.
public protocol ProjectionRow: Codable, Sendable, Identifiable where ID: EntityIdentifier {
    /// The indexes by which rows are fetched, at most 4; none by default.
    ///
    /// Raise the version of the projection if an index is added or changed.
    static var indexes: [RowIndex<Self>] { get }
}

extension ProjectionRow {
    /// No indexes.
    public static var indexes: [RowIndex<Self>] { [] }
}

/// An index by which the rows of a projection are fetched without reading all of them.
public struct RowIndex<Row: ProjectionRow>: Sendable {
    let name: String
    let value: @Sendable (Row) -> IndexValue?

    /// Creates an index with one value for each row, or none if `value` returns `nil`.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the indexes of the row.
    ///   - value: Returns the value of a row.
    public init(_ name: String, _ value: @escaping @Sendable (Row) -> (some IndexValueConvertible)?) {
        self.name = name
        self.value = { value($0)?.indexValue }
    }
}

/// A condition on the value of a row in one index.
public struct RowCondition<Row: ProjectionRow>: Sendable {
    let index: RowIndex<Row>
    let test: IndexPredicate

    /// The value in `index` is `value`.
    public static func equals(_ index: RowIndex<Row>, _ value: some IndexValueConvertible) -> Self {
        RowCondition(index: index, test: .oneOf([value.indexValue]))
    }

    /// The value in `index` is among `values`.
    public static func isOneOf(_ index: RowIndex<Row>, _ values: [some IndexValueConvertible]) -> Self {
        RowCondition(index: index, test: .oneOf(Set(values.map(\.indexValue))))
    }

    /// The value in `index` is `value` or greater.
    public static func isAtLeast(_ index: RowIndex<Row>, _ value: some IndexValueConvertible) -> Self {
        RowCondition(index: index, test: .range(from: value.indexValue, below: nil))
    }

    /// The value in `index` is less than `value`.
    public static func isBelow(_ index: RowIndex<Row>, _ value: some IndexValueConvertible) -> Self {
        RowCondition(index: index, test: .range(from: nil, below: value.indexValue))
    }
}

/// The order of fetched rows.
public struct RowOrder<Row: ProjectionRow>: Sendable {
    let index: RowIndex<Row>
    let isDescending: Bool

    /// Orders by value, then by identifier, both ascending; rows without a value in `index` are left out.
    public static func ascending(_ index: RowIndex<Row>) -> Self {
        RowOrder(index: index, isDescending: false)
    }

    /// Orders by value, then by identifier, both descending; rows without a value in `index` are left out.
    public static func descending(_ index: RowIndex<Row>) -> Self {
        RowOrder(index: index, isDescending: true)
    }
}

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

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension RowIndex {
    /// Explains why the type of a value is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public init<Value>(_ name: String, _ value: @escaping @Sendable (Row) -> Value?) {
        self.init(name) { _ in "" }
    }
}

extension RowCondition {
    /// Explains why the type of a value is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public static func equals<Value>(_ index: RowIndex<Row>, _ value: Value) -> Self { equals(index, "") }

    /// Explains why the type of the values is refused.
    @available(
        *, unavailable,
        message: """
            An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an \
            enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.
            """
    )
    @_documentation(visibility: internal)
    public static func isOneOf<Value>(_ index: RowIndex<Row>, _ values: [Value]) -> Self { equals(index, "") }
}
