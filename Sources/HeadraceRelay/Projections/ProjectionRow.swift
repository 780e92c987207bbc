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
