// SPDX-License-Identifier: Apache-2.0

#if Client
/// Decodes a value from nothing, and notes the shape of the JSON that its type expects.
final class ShapeDecoder: Decoder {
    let reader: ShapeReader
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// The noted shape; a type that asks for nothing is an object without members.
    private(set) var shape = Shape.object([])

    /// The names of members that a type has compared with `null`.
    private var nullable: Set<String> = []

    init(_ reader: ShapeReader) {
        self.reader = reader
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ObjectShape(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        shape = .list(.any)
        return EmptyList()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ValueShape(decoder: self) }

    fileprivate func note(_ shape: Shape) {
        self.shape = shape
    }

    fileprivate func noteNull(_ name: String) {
        nullable.insert(name)
    }

    /// Adds a member, unless it is known.
    fileprivate func note(_ name: String, _ shape: Shape, isRequired: Bool = true) {
        var members: [Shape.Member] = []
        if case .object(let known) = self.shape { members = known }
        if members.contains(where: { $0.name == name }) { return }
        let isRequired = isRequired && !nullable.contains(name)
        if case .nullable(let value) = shape {
            members.append(Shape.Member(name: name, shape: value, isRequired: false))
        } else {
            members.append(Shape.Member(name: name, shape: shape, isRequired: isRequired))
        }
        self.shape = .object(members)
    }
}

/// Notes the members of a type.
private struct ObjectShape<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool {
        decoder.noteNull(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (shape, value) = try decoder.reader.read(type)
        decoder.note(key.stringValue, shape)
        return value
    }

    // Without a value, a type can contain itself.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        decoder.note(key.stringValue, try decoder.reader.shape(of: type), isRequired: false)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        decoder.note(key.stringValue, .any)
        return try ShapeDecoder(decoder.reader).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        decoder.note(key.stringValue, .list(.any))
        return EmptyList()
    }

    func superDecoder() throws -> any Decoder { ShapeDecoder(decoder.reader) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder.note(key.stringValue, .any)
        return ShapeDecoder(decoder.reader)
    }
}

/// Notes the shape of a type that is one value.
private struct ValueShape: SingleValueDecodingContainer {
    let decoder: ShapeDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (shape, value) = try decoder.reader.read(type)
        decoder.note(shape)
        return value
    }
}

/// A list without elements.
private struct EmptyList: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    func decodeNil() throws -> Bool { throw end(Never.self) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw end(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw end(type)
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw end(EmptyList.self) }
    func superDecoder() throws -> any Decoder { throw end(ShapeDecoder.self) }

    private func end(_ type: Any.Type) -> DecodingError {
        DecodingError.valueNotFound(type, DecodingError.Context(codingPath: [], debugDescription: "The list is empty."))
    }
}
#endif
