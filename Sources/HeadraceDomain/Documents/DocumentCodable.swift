// SPDX-License-Identifier: Apache-2.0

/// A type that writes and reads its part of a document without the containers of `Codable`, many times faster.
///
/// Don't write the conformance: `@DomainEntity` adds it to entities, and `@DocumentCodable` to the types of their
/// properties. A property whose type is only `Codable` is encoded and decoded by `Codable`.
///
/// A conformance writes the same JSON as `Codable` does, and reads what it writes: the members in the order of the UTF-8 of
/// their keys, and no member for `nil`. If the macro can't be used, write the conformance as the macro does:
///
/// ```swift
/// extension Posting: DocumentCodable {
///     func encode(to encoder: inout DocumentEncoder) throws {
///         try encoder.beginObject()
///         try encoder.encode(account, forKey: "account")
///         try encoder.encode(amount, forKey: "amount")
///         encoder.endObject()
///     }
///
///     init(from decoder: inout DocumentDecoder) throws {
///         try decoder.beginObject()
///         account = try decoder.decode(String.self, forKey: "account")
///         amount = try decoder.decode(Int.self, forKey: "amount")
///         try decoder.endObject()
///     }
/// }
/// ```
///
/// Debug builds compare each document with the document of `Codable`, and report a difference as an `EncodingError` or a
/// `DecodingError`. Release builds don't compare.
///
/// The shape follows the prototype of a faster coder in swift-foundation, whose types also write to a concrete encoder.
public protocol DocumentCodable: Codable {
    /// Writes the JSON of this value.
    ///
    /// - Throws: Any error; then the document is encoded by `Codable`, which throws an error with a coding path.
    func encode(to encoder: inout DocumentEncoder) throws

    /// Reads a value from JSON.
    ///
    /// - Throws: Any error, such as the errors of ``DocumentDecoder`` for JSON that has another form than this type writes.
    ///   Then the document is decoded by `Codable`.
    init(from decoder: inout DocumentDecoder) throws
}
