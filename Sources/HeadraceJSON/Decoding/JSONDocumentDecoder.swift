// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Decodes values from the JSON of documents.
///
/// A decoder accepts everything that `JSONDecoder` accepts, as long as it is UTF-8, and makes the same values of it. It is
/// stricter in two respects: it checks the whole document, also the parts that nothing reads, and it refuses
/// fractions in whole numbers above 2^53, which `JSONDecoder` cuts off.
///
/// Not supported: `userInfo`, strategies, UTF-16, UTF-32, and JSON5.
package enum JSONDocumentDecoder {
    /// A value, and whether its document is in canonical form.
    package struct Result<Value> {
        /// The value.
        package let value: Value

        /// Whether an encoder would write the same bytes for `value`, if its type encodes as it decodes.
        ///
        /// It is `true` if the members of all objects are sorted, if there is no white space, if each text and number is
        /// spelled as ``JSONDocumentEncoder`` spells it, if sets are in their order, if each value was read, and if no
        /// member was missing or null.
        ///
        /// The decoder can't notice a type that changes its values on decoding, such as a type that normalizes texts. For
        /// such a type, encode the value again and compare the bytes.
        package let isCanonical: Bool
    }

    /// Decodes a value of `type` from the UTF-8 of a document.
    ///
    /// - Throws: `DecodingError`, with a ``JSONSyntaxError`` as its cause if the bytes aren't JSON; the errors of `type`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: some ContiguousBytes) throws -> Value {
        try DecodingPool.withTape { tape in
            try scan(json, into: tape)
            return try tape.decode(type, at: 0)
        }
    }

    /// Decodes a value of `type` from the UTF-8 of a document, and compares the document with its canonical form.
    ///
    /// - Throws: As ``decode(_:from:)``.
    package static func decodeCheckingForm<Value: Decodable>(
        _ type: Value.Type,
        from json: some ContiguousBytes
    ) throws -> Result<Value> {
        try DecodingPool.withTape { tape in
            try scan(json, into: tape)
            tape.checksForm = true
            let value = try tape.decode(type, at: 0)
            return Result(value: value, isCanonical: tape.isCanonical && tape.unreadCount == 0)
        }
    }

    /// Decodes a value from the UTF-8 of a document, as `read` reads it.
    ///
    /// If `read` fails, the value is decoded by `Codable`, which reads every form.
    ///
    /// - Returns: The value; whether the document is in canonical form, and `false` if that is unknown; and whether it was
    ///   read as an object without `Codable`.
    /// - Throws: As ``decode(_:from:)``.
    package static func decode<Value: Codable>(
        _ type: Value.Type,
        from json: Data,
        by read: (inout JSONReader) throws -> Value
    ) throws -> (value: Value, isCanonical: Bool, isDirect: Bool) {
        var isCanonical = false
        var isDirect = false
        // The closure returns the value alone: a tuple of generic types would be looked up for each document.
        let value = try DecodingPool.withTape { tape in
            do {
                try tape.load(json)
                var reader = JSONReader(tape)
                let value = try read(&reader)
                try reader.requireEnd()
                isCanonical = reader.isCanonical
                isDirect = reader.isDirect
                return value
            } catch {
                try scan(json, into: tape)
                return try tape.decode(type, at: 0)
            }
        }
        return (value, isCanonical, isDirect)
    }

    private static func scan(_ json: some ContiguousBytes, into tape: JSONTape) throws {
        do {
            try tape.load(json)
            try JSONScanner.scan(tape)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "The document isn't JSON.", underlyingError: error)
            )
        }
    }
}

/// Decodes the value at one index of a tape.
struct JSONValueDecoder: Decoder {
    let tape: JSONTape
    let index: Int

    var codingPath: [any CodingKey] { tape.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard tape[index].kind == .object else { throw tape.mismatch([String: Any].self, at: index) }
        tape.markAsRead(index)
        return KeyedDecodingContainer(KeyedValueDecoder(tape: tape, object: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard tape[index].kind == .array else { throw tape.mismatch([Any].self, at: index) }
        tape.markAsRead(index)
        return UnkeyedValueDecoder(tape: tape, array: index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tape.isNull(at: index) }
    func decode(_: Bool.Type) throws -> Bool { try tape.bool(at: index) }
    func decode(_: String.Type) throws -> String { try tape.string(at: index) }
    func decode(_: Double.Type) throws -> Double { try tape.double(at: index, as: Double.self) }
    func decode(_: Float.Type) throws -> Float { try tape.float(at: index) }
    func decode(_ type: Int.Type) throws -> Int { try tape.integer(type, at: index) }
    func decode(_ type: Int8.Type) throws -> Int8 { try tape.integer(type, at: index) }
    func decode(_ type: Int16.Type) throws -> Int16 { try tape.integer(type, at: index) }
    func decode(_ type: Int32.Type) throws -> Int32 { try tape.integer(type, at: index) }
    func decode(_ type: Int64.Type) throws -> Int64 { try tape.integer(type, at: index) }
    func decode(_ type: Int128.Type) throws -> Int128 { try tape.integer(type, at: index) }
    func decode(_ type: UInt.Type) throws -> UInt { try tape.integer(type, at: index) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try tape.integer(type, at: index) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try tape.integer(type, at: index) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try tape.integer(type, at: index) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try tape.integer(type, at: index) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try tape.integer(type, at: index) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tape.decode(type, at: index) }
}
