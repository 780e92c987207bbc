// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
/// Decodes a message from the parameters of a request and from its body.
///
/// A parameter hides the member of the body with the same name.
struct MessageDecoder: Decoder {
    let parameters: MessageParameters

    /// The decoder of the body; `nil` if the request has none.
    let body: (any Decoder)?

    var codingPath: [any CodingKey] { body?.codingPath ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { body?.userInfo ?? [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            MessageContainer(parameters: parameters, body: try body?.container(keyedBy: type), codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try requireBody().unkeyedContainer() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { try requireBody().singleValueContainer() }

    private func requireBody() throws -> any Decoder {
        guard let body else {
            let context = DecodingError.Context(codingPath: [], debugDescription: "is missing")
            throw DecodingError.valueNotFound(MessageDecoder.self, context)
        }
        return body
    }
}

/// A message that the decoder of the application decodes, with ``MessageParameters/current`` for its parameters.
struct DecodedMessage<Message: Decodable>: Decodable {
    let message: Message

    init(from decoder: any Decoder) throws {
        message = try Message(from: MessageDecoder(parameters: .current, body: decoder))
    }
}

/// The members of a message.
private struct MessageContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let parameters: MessageParameters
    let body: KeyedDecodingContainer<Key>?
    let codingPath: [any CodingKey]

    var allKeys: [Key] {
        let names = parameters.values.keys.sorted().compactMap { Key(stringValue: $0) }
        return names + (body?.allKeys ?? []).filter { parameters.values[$0.stringValue] == nil }
    }

    func contains(_ key: Key) -> Bool {
        parameters.use(key.stringValue)
        return parameters.values[key.stringValue] != nil || body?.contains(key) == true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        if parameters.values[key.stringValue] != nil { return false }
        return try requireBody(key).decodeNil(forKey: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        parameters.use(key.stringValue)
        if let texts = parameters.values[key.stringValue] {
            return try ParameterDecoder(texts: texts, codingPath: codingPath + [key]).decode(type)
        }
        return try requireBody(key).decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try requireBody(key).nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try requireBody(key).nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder {
        guard let body else { throw missing("super") }
        return try body.superDecoder()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try requireBody(key).superDecoder(forKey: key)
    }

    private func requireBody(_ key: Key) throws -> KeyedDecodingContainer<Key> {
        guard let body else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "is missing")
            throw DecodingError.keyNotFound(key, context)
        }
        return body
    }

    private func missing(_ name: String) -> DecodingError {
        DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: "'\(name)' is missing"))
    }
}
#endif
