// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation

/// Decodes a value from the text of a parameter, or an array from the texts of several parameters with one name.
///
/// A date has the format of ISO 8601. Objects aren't supported.
struct ParameterDecoder: Decoder {
    let texts: [String]
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw corrupted("must be a text, a number, or a list of them")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        ParameterList(texts: texts, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ParameterValue(text: try single, codingPath: codingPath)
    }

    /// Decodes a value of `type`.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is Date.Type:
            try cast(try? Date(try single, strategy: .iso8601), "must be a time such as 2026-01-31T12:00:00Z")
        case is UUID.Type: try cast(UUID(uuidString: try single), "must be a UUID")
        case is Decimal.Type: try cast(Decimal(string: try single), "must be a number")
        case is Data.Type: try cast(Data(base64Encoded: try single), "must be Base64")
        default: try Value(from: self)
        }
    }

    private var single: String {
        get throws {
            guard let text = texts.first, texts.count == 1 else { throw corrupted("occurs more than once") }
            return text
        }
    }

    private func cast<Value>(_ value: Any?, _ text: String) throws -> Value {
        guard let value = value as? Value else { throw corrupted(text) }
        return value
    }

    private func corrupted(_ text: String) -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: text))
    }
}

/// The text of one parameter.
private struct ParameterValue: SingleValueDecodingContainer {
    let text: String
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { false }
    func decode(_ type: String.Type) throws -> String { text }
    func decode(_ type: Bool.Type) throws -> Bool { try value("must be 'true' or 'false'") }
    func decode(_ type: Double.Type) throws -> Double { try value("must be a number") }
    func decode(_ type: Float.Type) throws -> Float { try value("must be a number") }
    func decode(_ type: Int.Type) throws -> Int { try whole() }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole() }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole() }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole() }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole() }
    func decode(_ type: UInt.Type) throws -> UInt { try whole() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try ParameterDecoder(texts: [text], codingPath: codingPath).decode(type)
    }

    private func whole<Value: FixedWidthInteger & LosslessStringConvertible>() throws -> Value {
        try value("must be a whole number from \(Value.min) to \(Value.max)")
    }

    private func value<Value: LosslessStringConvertible>(_ requirement: String) throws -> Value {
        guard let value = Value(text) else {
            throw DecodingError.dataCorruptedError(in: self, debugDescription: requirement)
        }
        return value
    }
}

/// The texts of the parameters with one name.
private struct ParameterList: UnkeyedDecodingContainer {
    let texts: [String]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { texts.count }
    var isAtEnd: Bool { currentIndex >= texts.count }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next().decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        try next()
    }

    private mutating func next() throws -> ParameterDecoder {
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "has too few values")
            throw DecodingError.valueNotFound(String.self, context)
        }
        defer { currentIndex += 1 }
        return ParameterDecoder(texts: [texts[currentIndex]], codingPath: codingPath)
    }
}
#endif
