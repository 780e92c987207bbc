// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceStorage
import Testing

@Suite(.timeLimit(.minutes(1))) struct OpenAPITests {
    private func document(_ api: MessageAPI) throws -> [String: JSONValue] {
        try JSONDecoder().decode([String: JSONValue].self, from: api.openAPI(title: "Test", version: "1"))
    }

    private func value(_ document: [String: JSONValue], _ path: String...) throws -> JSONValue {
        try path.reduce(.object(document)) { value, name in
            guard case .object(let members) = value else { throw Missing(name: name) }
            return try #require(members[name], "\(name)")
        }
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test func eachRouteIsAnOperationWithItsParametersBodyAndAnswers() throws {
        let document = try document(libraryAPI)

        #expect(try value(document, "openapi") == .string("3.1.0"))
        let lend = try value(document, "paths", "/books/{book}/loan", "put")
        #expect(
            try lend
                == json(
                    """
                    {"operationId": "Lend",
                     "parameters": [
                        {"name": "book", "in": "path", "required": true, "schema": {"type": "string"}},
                        {"name": "Idempotency-Key", "in": "header", "required": false,
                         "schema": {"type": "string", "maxLength": 255},
                         "description": "A text that no other command has. A repeated request with it receives the outcome of the first."}],
                     "requestBody": {"required": true, "content": {"application/json": {"schema":
                        {"type": "object", "required": ["reader"],
                         "properties": {"reader": {"type": "string"}, "due": {"type": "string", "format": "date-time"}}}}}},
                     "responses": {
                        "204": {"description": "The command has taken effect."},
                        "default": {"description": "The message has failed.", "content": {"application/problem+json": {"schema":
                            {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"type": "object", "properties": {"error": {"anyOf": [
                                {"type": "object", "required": ["type", "value"], "properties": {
                                    "type": {"const": "LoanError"},
                                    "value": {"$ref": "#/components/schemas/LoanError"}}}]}}}]}}}}}}
                    """))
        let books = try value(document, "paths", "/shelves/{shelf}/books", "get")
        guard case .object(let members) = books, case .array(let parameters) = members["parameters"] else {
            throw Missing(name: "parameters")
        }
        #expect(parameters.count == 5)
        #expect(
            try parameters.contains(
                json(
                    #"{"name": "tags", "in": "query", "required": false, "schema": {"type": "array", "items": {"type": "string"}}}"#
                )))
        let stream = try value(document, "paths", "/shelves/{shelf}", "get", "responses", "200", "content")
        #expect(try stream == json(#"{"text/event-stream": {"schema": {"type": "string"}}}"#))
        let live = try value(document, "paths", "/due/{book}", "get", "responses", "200", "content")
        let number = #"{"schema": {"type": "integer", "format": "int64"}}"#
        #expect(try live == json(#"{"application/json": \#(number), "text/event-stream": \#(number)}"#))
    }

    @Test func typesHaveTheSchemasOfTheirJSON() throws {
        let document = try document(MessageAPI([.post("shapes", command: Shapes.self)]))
        let body = try value(
            document, "paths", "/shapes", "post", "requestBody", "content", "application/json", "schema", "properties")

        #expect(
            try body
                == json(
                    """
                    {"id": {"type": "string", "format": "uuid"}, "date": {"type": "string", "format": "date-time"},
                     "data": {"type": "string", "contentEncoding": "base64"}, "amount": {"type": "number"},
                     "small": {"type": "integer", "format": "int8"}, "isTrue": {"type": "boolean"},
                     "color": {"enum": ["red", "green"]}, "level": {"enum": [1, 3]},
                     "tree": {"$ref": "#/components/schemas/Tree"},
                     "names": {"type": "object", "additionalProperties": {"type": "integer", "format": "int64"}},
                     "holes": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
                     "wrapped": {"type": "string"}}
                    """))
        #expect(
            try value(document, "components", "schemas", "Tree")
                == json(
                    """
                    {"type": "object", "required": ["children"], "properties": {
                        "left": {"$ref": "#/components/schemas/Tree"},
                        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}
                    """))
    }

    // The checks let a validator of OpenAPI read the file.
    @Test func theDocumentHasTheBytesOfTheGoldenFile() throws {
        let api = MessageAPI(libraryAPI.routes + [.post("shapes", command: Shapes.self)])
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/openapi.json")
        let expected = try String(contentsOf: golden, encoding: .utf8)

        for _ in 0..<3 {
            let document = try api.openAPI(title: "Library", version: "1", description: "Books and their readers.")
            #expect(String(decoding: document, as: UTF8.self) + "\n" == expected)
        }
    }

    @Test func aTypeWhoseShapeIsNotKnownIsNamed() throws {
        let error = #expect(throws: MessageAPIError.self) {
            try document(MessageAPI([.post("a", command: Refusing.self)]))
        }

        #expect(error?.message.contains("Even") == true)
    }

    @Test func aParameterWithoutAMemberIsRefusedAtTheStart() {
        let error = #expect(throws: MessageAPIError.self) {
            try MessageAPI([.post("readers/{reader}", command: Register.self)]).validate()
        }

        #expect(error?.problems.count == 1)
        #expect(error?.message.contains("{reader}") == true)
    }
}

private struct Missing: Error {
    let name: String
}

private struct Shapes: CQDCommand, Codable {
    var id: UUID
    var date: Date
    var data: Data
    var amount: Decimal
    var small: Int8
    var isTrue: Bool
    var color: Color
    var level: Level?
    var tree: Tree
    var names: [String: Int]
    var holes: [String?]
    var wrapped: Wrapped
}

private enum Color: String, Codable, CaseIterable { case red, green }
private enum Level: Int, Codable, CaseIterable { case low = 1, high = 3 }

private final class Tree: Codable, Sendable {
    let left: Tree?
    let children: [Tree]
}

/// A type that is one value.
private struct Wrapped: Codable {
    let text: String

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private struct Refusing: CQDCommand, Codable {
    var even: Even
}

private struct Even: Codable {
    var number: Int

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        if !number.isMultiple(of: 2) { throw Missing(name: "an even number") }
    }
}
#endif
