// SPDX-License-Identifier: Apache-2.0

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
