// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON
import HeadraceStorage

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

extension Bool: DocumentCodable {
    /// Writes `true` or `false`.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads `true` or `false`.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readBool() }
}

extension Int: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(Int64(self)) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws { self = Int(try decoder.reader.readInteger()) }
}

extension Int32: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(Int64(self)) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws {
        guard let value = Int32(exactly: try decoder.reader.readInteger()) else { throw JSONReader.OtherForm() }
        self = value
    }
}

extension Int64: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readInteger() }
}

extension UInt64: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a number up to the largest `Int64`; a larger one is read by `Codable`.
    public init(from decoder: inout DocumentDecoder) throws {
        guard let value = UInt64(exactly: try decoder.reader.readInteger()) else { throw JSONReader.OtherForm() }
        self = value
    }
}

extension Double: DocumentCodable {
    /// Writes the shortest number that reads as this value.
    ///
    /// - Throws: `EncodingError` if the number is infinite or NaN.
    public func encode(to encoder: inout DocumentEncoder) throws { try encoder.writer.write(self) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readDouble() }
}

extension String: DocumentCodable {
    /// Writes a text.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a text.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readString() }
}

extension Date: DocumentCodable {
    /// Writes the seconds since the reference date, as `Codable` does.
    ///
    /// - Throws: `EncodingError` if the number is infinite or NaN.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.writer.write(timeIntervalSinceReferenceDate)
    }

    /// Reads the seconds since the reference date.
    public init(from decoder: inout DocumentDecoder) throws {
        self.init(timeIntervalSinceReferenceDate: try decoder.reader.readDouble())
    }
}

extension UUID: DocumentCodable {
    /// Writes the UUID in upper case, as `Codable` does.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a UUID in upper case.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readUUID() }
}

extension Array: DocumentCodable where Element: DocumentCodable {
    /// Writes the elements.
    ///
    /// - Throws: The errors of the elements.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.writer.beginArray()
        for element in self {
            encoder.writer.beginElement()
            try element.encode(to: &encoder)
        }
        encoder.writer.endArray()
    }

    /// Reads the elements.
    ///
    /// - Throws: The errors of the elements.
    public init(from decoder: inout DocumentDecoder) throws {
        self = []
        try decoder.reader.beginArray()
        while try decoder.reader.beginElement() { append(try Element(from: &decoder)) }
    }
}
