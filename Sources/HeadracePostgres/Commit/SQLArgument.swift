// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import Foundation

/// An argument of a plain SQL statement, with its type in PostgreSQL.
///
/// If a column has another type, convert the argument in the statement: `$1::numeric`, `$1::date`. Pass `nil` for NULL.
public struct SQLArgument: Hashable, Sendable {
    let type: String

    /// The value in the text format of PostgreSQL, or `nil` for NULL.
    let text: String?

    /// An argument of the type `bigint`.
    public static func integer(_ value: Int64?) -> SQLArgument {
        SQLArgument(type: "bigint", text: value.map { "\($0)" })
    }

    /// An argument of the type `double precision`.
    public static func double(_ value: Double?) -> SQLArgument {
        SQLArgument(type: "double precision", text: value.map { "\($0)" })
    }

    /// An argument of the type `text`; it must not have the character NUL.
    public static func text(_ value: String?) -> SQLArgument {
        SQLArgument(type: "text", text: value)
    }

    /// An argument of the type `bytea`.
    public static func bytes(_ value: Data?) -> SQLArgument {
        let digits = Array("0123456789abcdef".utf8)
        let text = value.map { data in
            String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
        return SQLArgument(type: "bytea", text: text.map { "\\x" + $0 })
    }

    /// An argument of the type `boolean`.
    public static func flag(_ value: Bool?) -> SQLArgument {
        SQLArgument(type: "boolean", text: value.map { $0 ? "true" : "false" })
    }

    /// An argument of the type `uuid`.
    public static func id(_ value: UUID?) -> SQLArgument {
        SQLArgument(type: "uuid", text: value?.uuidString)
    }
}
#endif
