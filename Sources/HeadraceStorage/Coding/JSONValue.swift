// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
        } else if let value = try? container.decode(Int64.self) {
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
