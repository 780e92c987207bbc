// SPDX-License-Identifier: Apache-2.0

import HeadraceJSON

/// Writes the JSON of a document for a ``DocumentCodable`` type.
///
/// Write the members in the order of the UTF-8 of their keys. Keys consist of ASCII characters without quotation marks,
/// backslashes, and control characters.
public struct DocumentEncoder {
    let writer: JSONWriter

    /// Begins an object.
    ///
    /// - Throws: `EncodingError` if arrays and objects are nested more than 511 levels deep.
    public mutating func beginObject() throws { try writer.beginObject() }

    /// Ends the object that was begun last.
    public mutating func endObject() { writer.endObject() }

    /// Writes a member.
    ///
    /// - Throws: The errors of `value`.
    public mutating func encode<Value: DocumentCodable>(_ value: Value, forKey key: StaticString) throws {
        writer.beginMember(key)
        try value.encode(to: &self)
    }

    /// Writes a member; nothing for `nil`.
    ///
    /// - Throws: The errors of `value`.
    public mutating func encode<Value: DocumentCodable>(_ value: Value?, forKey key: StaticString) throws {
        guard let value else { return }
        writer.beginMember(key)
        try value.encode(to: &self)
    }

    /// Writes a member by `Codable`.
    ///
    /// - Throws: The errors of `value`.
    public mutating func encode<Value: Encodable>(_ value: Value, forKey key: StaticString) throws {
        writer.beginMember(key)
        try writer.write(codable: value)
    }

    /// Writes a member by `Codable`; nothing for `nil`.
    ///
    /// - Throws: The errors of `value`.
    public mutating func encode<Value: Encodable>(_ value: Value?, forKey key: StaticString) throws {
        guard let value else { return }
        writer.beginMember(key)
        try writer.write(codable: value)
    }
}
