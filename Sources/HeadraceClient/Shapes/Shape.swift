// SPDX-License-Identifier: Apache-2.0

#if Client
import HeadraceStorage

/// The shape of the JSON of a type.
indirect enum Shape: Equatable, Sendable {
    /// A text, with the name of its format in OpenAPI.
    case text(format: String?)

    /// Data as Base64.
    case data

    case boolean
    case integer(format: String)
    case number

    /// One of a few values.
    case choice([JSONValue])

    case list(Shape)

    /// Members whose names aren't known.
    case dictionary(Shape)

    case object([Member])
    case nullable(Shape)

    /// The object with this name.
    case reference(String)

    /// Any JSON.
    case any

    /// A member of an object.
    struct Member: Equatable, Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool
    }

    /// The JSON Schema of the shape, with references to the components of an OpenAPI document.
    var schema: JSONValue {
        switch self {
        case .text(nil): Self.typed("string")
        case .text(let format?): Self.typed("string", ["format": .string(format)])
        case .data: Self.typed("string", ["contentEncoding": .string("base64")])
        case .boolean: Self.typed("boolean")
        case .integer(let format): Self.typed("integer", ["format": .string(format)])
        case .number: Self.typed("number")
        case .choice(let values): .object(["enum": .array(values)])
        case .list(let element): Self.typed("array", ["items": element.schema])
        case .dictionary(let value): Self.typed("object", ["additionalProperties": value.schema])
        case .object(let members): Self.schema(of: members)
        case .nullable(let shape): .object(["anyOf": .array([shape.schema, Self.typed("null")])])
        case .reference(let name): .object(["$ref": .string("#/components/schemas/\(name)")])
        case .any: .object([:])
        }
    }

    private static func typed(_ type: String, _ others: [String: JSONValue] = [:]) -> JSONValue {
        .object(others.merging(["type": .string(type)]) { first, _ in first })
    }

    private static func schema(of members: [Member]) -> JSONValue {
        let properties = Dictionary(members.map { ($0.name, $0.shape.schema) }) { first, _ in first }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        var others: [String: JSONValue] = ["properties": .object(properties)]
        if !required.isEmpty { others["required"] = .array(required) }
        return typed("object", others)
    }
}
#endif
