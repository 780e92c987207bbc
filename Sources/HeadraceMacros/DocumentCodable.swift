// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceDomain

/// Lets a struct or an enumeration write and read its part of a document many times faster than with `Codable`.
///
/// ```swift
/// @DocumentCodable
/// struct Posting: Codable {
///     let account: String
///     let amount: Int
/// }
/// ```
///
/// conforms to `DocumentCodable` by
///
/// ```swift
/// func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
///     try encoder.beginObject()
///     try encoder.encode(self.account, forKey: "account")
///     try encoder.encode(self.amount, forKey: "amount")
///     encoder.endObject()
/// }
///
/// init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
///     try decoder.beginObject()
///     self.account = try decoder.decode(String.self, forKey: "account")
///     self.amount = try decoder.decode(Int.self, forKey: "amount")
///     try decoder.endObject()
/// }
/// ```
///
/// An enumeration with raw values, and a struct that declares `RawRepresentable` or `OptionSet`, write their raw value. The JSON
/// is the same as that of `Codable`. The macro matters only for values inside an entity with ``DomainEntity()``.
///
/// Restrictions:
///
/// - The type is `Codable` by synthesized code: it declares no `CodingKeys`, `init(from:)`, or `encode(to:)`, neither in itself
///   nor in an extension, and it doesn't get `RawRepresentable` from another protocol. In a debug build, JSON that differs from
///   that of `Codable` is reported as an error.
/// - The type isn't generic, and raw values have the type `String`, `Int`, `Int32`, or `Int64`, written out.
/// - No property is lazy, weak, has an attribute, is a constant with a value, or stands inside `#if`.
/// - The file imports `HeadraceDomain` as well, or `Headrace` instead of both. For a public type that is a `public import`
///   under `InternalImportsByDefault`.
/// - A `private` type inside another type is written `fileprivate`, because the conformance is an extension.
@attached(extension, conformances: DocumentCodable, names: named(encode(to:)), named(init(from:)))
public macro DocumentCodable() = #externalMacro(module: "HeadraceMacrosPlugin", type: "DocumentCodableMacro")
#endif
