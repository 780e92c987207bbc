// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON

/// Encodes entities and events as JSON, and decodes them.
///
/// Equal values have equal bytes.
package enum DocumentCoding {
    /// Encodes `value`.
    ///
    /// The order of sets and dictionaries depends only on their elements.
    ///
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable) throws -> Data {
        try JSONDocumentEncoder.encode(value)
    }

    /// Encodes `value`, and returns `nil` if the result equals `json`.
    ///
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable, unlessEqualTo json: Data) throws -> Data? {
        try JSONDocumentEncoder.encode(value, unlessEqualTo: json)
    }

    /// Decodes a value of `type`.
    ///
    /// - Throws: `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try JSONDocumentDecoder.decode(type, from: json)
    }
}

/// Migrates the JSON of an event or an entity from one version to the next.
///
/// ```swift
/// struct OrderPlaced: DurableDomainEvent {
///     static let eventName = "order-placed"
///     static let eventVersion = 2
///     static let eventMigrations = [
///         JSONMigration(from: 1) { event in
///             event["currency"] = .string("EUR")
///         }
///     ]
///     var orderId: UUID
///     var currency: String
/// }
/// ```
///
/// Stored JSON isn't rewritten: it is migrated each time it is read. An entity is written in its new shape when it
/// changes.
public struct JSONMigration: Sendable {
    /// The version that the migration starts from, counting from 1; the result has the next version.
    public let version: Int

    private let migrate: @Sendable (Data) throws -> Data

    /// Creates a migration that changes the members of a JSON object.
    ///
    /// - Parameters:
    ///   - version: The version that the migration starts from.
    ///   - change: Changes the members.
    public init(from version: Int, _ change: @escaping @Sendable (inout [String: JSONValue]) throws -> Void) {
        self.version = version
        migrate = { json in
            var members = try JSONDocumentDecoder.decode([String: JSONValue].self, from: json)
            try change(&members)
            return try JSONDocumentEncoder.encode(members)
        }
    }

    /// Creates a migration of JSON that is not an object.
    public init(from version: Int, json migrate: @escaping @Sendable (Data) throws -> Data) {
        self.version = version
        self.migrate = migrate
    }

    func callAsFunction(_ json: Data) throws -> Data {
        try migrate(json)
    }
}

extension [JSONMigration] {
    /// Migrates `json` from `version` to the version after the last migration.
    package func migrate(_ json: Data, from version: Int) throws -> Data {
        try reduce(json) { json, migration in migration.version < version ? json : try migration(json) }
    }
}

/// JSON of a shape that no type describes any longer; migrations work on it.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null

    /// `true` or `false`.
    case bool(Bool)

    /// A number without fraction that an `Int64` holds.
    case integer(Int64)

    /// Any other number, with the digits that a `Decimal` holds.
    case decimal(Decimal)

    /// A number outside the range of `Decimal`, or negative zero.
    case double(Double)

    /// Text.
    case string(String)

    /// A list.
    case array([JSONValue])

    /// Members by their names.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    /// Decodes any JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = Self.integer(in: container) {
            // Only `Double` preserves the sign of a zero.
            let zero = value == 0 ? try? container.decode(Double.self) : nil
            self = zero?.sign == .minus ? .double(-0.0) : .integer(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .decimal(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Returns the number if it has no fraction.
    ///
    /// A decoder rounds off a fraction beyond the precision of a `Double`, but a `Decimal` has it.
    private static func integer(in container: any SingleValueDecodingContainer) -> Int64? {
        guard let value = try? container.decode(Int64.self), let decimal = try? container.decode(Decimal.self),
            decimal == Decimal(value)
        else { return nil }
        return value
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
