// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceClient
import Hummingbird
import Synchronization

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
        // A list without values has no parameter.
        if body == nil, type is any ExpressibleByArrayLiteral.Type {
            return try ParameterDecoder(texts: [], codingPath: codingPath + [key]).decode(type)
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

/// The decoded parameters of a request, from its path or its query.
struct MessageParameters: Sendable {
    /// The values of each parameter in the order of the request.
    private(set) var values: [String: [String]] = [:]

    /// The names of the query parameters that no message has asked for.
    private let unused = UnusedNames()

    /// The parameters of the message that the task decodes.
    ///
    /// A message is decoded by the decoder of the application, which passes nothing on to `init(from:)`.
    @TaskLocal static var current = MessageParameters()

    private init() {}

    /// Reads the parameters of the path, and those of the query unless `limit` is `nil`.
    ///
    /// A parameter of the path hides the parameters of the query with the same name.
    ///
    /// - Throws: ``Problem`` if there are more than `limit` parameters in the query, or if one isn't percent-encoded UTF-8.
    init(of request: Request, in context: some RequestContext, queryLimit limit: Int?) throws {
        if let limit, let query = request.uri.query, !query.isEmpty {
            let pairs = query.split(separator: "&")
            if pairs.count > limit {
                throw Problem.malformed("The query has too many parameters. To fix, send at most \(limit).")
            }
            for pair in pairs {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                // Browsers encode a space as a plus sign.
                let decoded = try parts.map { try Self.decoded(String($0.replacing("+", with: " "))) }
                values[decoded[0], default: []].append(decoded.count > 1 ? decoded[1] : "")
            }
        }
        unused.insert(values.keys)
        for (name, value) in context.parameters { values[String(name)] = [try Self.decoded(String(value))] }
    }

    /// Notes that a message asks for the parameter `name`.
    func use(_ name: String) {
        unused.remove(name)
    }

    /// Requires that the message has asked for each parameter of the query: a misspelled condition would be ignored silently.
    ///
    /// - Throws: ``Problem`` with the status 400.
    func requireAllUsed() throws {
        guard let name = unused.first else { return }
        throw Problem.malformed("There is no parameter '\(name.prefix(64))'. To fix, correct or omit it.")
            .with([Problem.Failure(path: String(name.prefix(64)), text: "is unknown")])
    }

    private static func decoded(_ text: String) throws -> String {
        guard let decoded = text.removingPercentEncoding else {
            throw Problem.malformed("A parameter isn't percent-encoded UTF-8. To fix, encode it.")
        }
        return decoded
    }
}

/// Names that are removed while a message is decoded.
private final class UnusedNames: Sendable {
    private let names = Mutex<Set<String>>([])

    var first: String? { names.withLock { $0.min() } }

    func insert(_ added: some Sequence<String>) { names.withLock { $0.formUnion(added) } }
    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }
}

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
            try cast(MessageTime.date(try single), "must be a time such as 2026-01-31T12:00:00Z")
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
