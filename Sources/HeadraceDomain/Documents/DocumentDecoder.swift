// SPDX-License-Identifier: Apache-2.0

import HeadraceJSON
import HeadraceStorage

/// Reads the JSON of a document for a ``DocumentCodable`` type.
///
/// It reads only the form that ``DocumentEncoder`` writes: without white space, and with the members in the order of the
/// UTF-8 of their keys. For every other form the methods throw, and then the document is decoded by `Codable`.
public struct DocumentDecoder {
    var reader: JSONReader

    /// Begins an object.
    ///
    /// - Throws: An error if no object is next.
    public mutating func beginObject() throws { try reader.beginObject() }

    /// Ends the object that was begun last.
    ///
    /// - Throws: An error if the object has other members.
    public mutating func endObject() throws { try reader.endObject() }

    /// Reads a member.
    ///
    /// - Throws: An error if the member isn't next; the errors of `type`.
    public mutating func decode<Value: DocumentCodable>(
        _ type: Value.Type,
        forKey key: StaticString
    ) throws -> Value {
        if !reader.readKey(key) { throw JSONReader.OtherForm() }
        return try Value(from: &self)
    }

    /// Reads a member if it is next; otherwise returns `nil`.
    ///
    /// - Throws: An error if the member is `null`, because ``DocumentEncoder`` writes no member for `nil`; the errors of
    ///   `Value`.
    public mutating func decode<Value: DocumentCodable>(
        _ type: Value?.Type,
        forKey key: StaticString
    ) throws -> Value? {
        try reader.readOptionalKey(key) ? try Value(from: &self) : nil
    }

    /// Reads a member by `Codable`.
    ///
    /// - Throws: An error if the member isn't next; the errors of `type`.
    public mutating func decode<Value: Decodable>(_ type: Value.Type, forKey key: StaticString) throws -> Value {
        if !reader.readKey(key) { throw JSONReader.OtherForm() }
        return try reader.read(codable: type)
    }

    /// Reads a member by `Codable` if it is next; otherwise returns `nil`.
    ///
    /// - Throws: An error if the member is `null`; the errors of `Value`.
    public mutating func decode<Value: Decodable>(_ type: Value?.Type, forKey key: StaticString) throws -> Value? {
        try reader.readOptionalKey(key) ? try reader.read(codable: Value.self) : nil
    }

    /// Reads a member of a type that follows from its use, by `Codable`.
    ///
    /// - Throws: An error if the member isn't next; the errors of `Value`.
    public mutating func decode<Value: Decodable>(forKey key: StaticString) throws -> Value {
        try decode(Value.self, forKey: key)
    }

    /// Reads a raw value, and returns the value that it stands for.
    ///
    /// - Throws: An error if the raw value stands for no value, or for a value that has another raw value; the errors of
    ///   the raw value.
    public mutating func decode<Value: RawRepresentable>(rawValueOf type: Value.Type) throws -> Value
    where Value.RawValue == String {
        let rawValue = try String(from: &self)
        guard let value = Value(rawValue: rawValue), value.rawValue.hasSameBytes(as: rawValue) else {
            throw JSONReader.OtherForm()
        }
        return value
    }

    /// Reads a raw value, and returns the value that it stands for.
    ///
    /// - Throws: An error if the raw value stands for no value, or for a value that has another raw value; the errors of
    ///   the raw value.
    public mutating func decode<Value: RawRepresentable>(rawValueOf type: Value.Type) throws -> Value
    where Value.RawValue: FixedWidthInteger & DocumentCodable {
        let rawValue = try Value.RawValue(from: &self)
        guard let value = Value(rawValue: rawValue), value.rawValue == rawValue else { throw JSONReader.OtherForm() }
        return value
    }
}
