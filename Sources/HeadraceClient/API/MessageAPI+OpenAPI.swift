// SPDX-License-Identifier: Apache-2.0

#if Client
public import Foundation
import HTTPTypes
import HeadraceCommands
import HeadraceCore
import HeadraceStorage

extension MessageAPI {
    /// Returns a description of the routes in the form of OpenAPI 3.1, as JSON.
    ///
    /// ```swift
    /// let description = try bookingAPI.openAPI(title: "Booking", version: "1")
    /// ```
    ///
    /// The schemas come from the types: each is decoded once from made-up values, which shows the names and the types of its members.
    /// An enumeration with raw values needs `CaseIterable` for that, and one with associated values can't be described. A type that
    /// decodes itself must accept the text `text`, the number 1, and empty lists.
    ///
    /// - Parameters:
    ///   - title: The name of the API.
    ///   - version: The version of the API, for its users.
    ///   - description: A text about the API; `nil` for none.
    /// - Returns: The document. It has the same bytes for the same routes.
    /// - Throws: ``MessageAPIError`` if a route is invalid, or if the shape of a type isn't known.
    public func openAPI(title: String, version: String, description: String? = nil) throws -> Data {
        try validate()
        let writer = OpenAPIWriter()
        for route in routes { route.accept(writer) }
        if !writer.problems.isEmpty { throw MessageAPIError(writer.problems) }
        var info: [String: JSONValue] = ["title": .string(title), "version": .string(version)]
        if let description { info["description"] = .string(description) }
        let document: [String: JSONValue] = [
            "openapi": .string("3.1.0"),
            "info": .object(info),
            "paths": .object(writer.paths.mapValues { .object($0) }),
            "components": .object(["schemas": .object(writer.schemas)]),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(document)
    }
}

/// Describes the routes of an API.
private final class OpenAPIWriter: MessageRouteVisitor {
    private let reader = ShapeReader()
    private(set) var problems: [String] = []

    /// The operations of each path, by their methods in lowercase.
    private(set) var paths: [String: [String: JSONValue]] = [:]

    /// The schemas of all components.
    var schemas: [String: JSONValue] {
        reader.components.mapValues(\.schema).merging(["Problem": Self.problem]) { first, _ in first }
    }

    func visit<Command: CQDCommand & Codable>(command: Command.Type, of route: MessageRoute) {
        write(route, command) { members in
            let body = members.filter { !route.template.parameters.contains($0.name) }
            var operation: [String: JSONValue] = [
                "responses": try self.responses(of: route, Command.Output.self, media: ["application/json"])
            ]
            let parameters = self.pathParameters(of: route, members) + [Self.keyParameter]
            operation["parameters"] = .array(parameters)
            if !body.isEmpty {
                operation["requestBody"] = .object([
                    "required": .bool(body.contains(where: \.isRequired)),
                    "content": Self.content("application/json", Shape.object(body).schema),
                ])
            }
            return operation
        }
    }

    func visit<Query: CQDQuery & Codable>(query: Query.Type, of route: MessageRoute) where Query.Value: Codable {
        write(route, query) { members in
            [
                "parameters": .array(
                    self.pathParameters(of: route, members) + self.queryParameters(of: route, members)),
                "responses": try self.responses(
                    of: route, Query.Value.self, media: ["application/json"] + (route.isLive ? [Self.events] : [])),
            ]
        }
    }

    func visit<Query: CQDStreamQuery & Codable>(stream: Query.Type, of route: MessageRoute)
    where Query.Element: Codable {
        write(route, stream) { members in
            [
                "parameters": .array(
                    self.pathParameters(of: route, members) + self.queryParameters(of: route, members)),
                "responses": try self.responses(of: route, Query.Element.self, media: [Self.events]),
            ]
        }
    }

    private func write<Message: Decodable>(
        _ route: MessageRoute,
        _ message: Message.Type,
        _ operation: ([Shape.Member]) throws -> [String: JSONValue]
    ) {
        do {
            var operation = try operation(try reader.members(of: message))
            operation["operationId"] = .string("\(message)")
            paths[route.path, default: [:]][route.method.rawValue.lowercased()] = .object(operation)
        } catch {
            problems.append((error as? ShapeError)?.message ?? "\(error)")
        }
    }

    // MARK: Parameters

    private func pathParameters(of route: MessageRoute, _ members: [Shape.Member]) -> [JSONValue] {
        route.template.parameters.map { name in
            let shape = members.first { $0.name == name }?.shape ?? .text(format: nil)
            return Self.parameter(name, in: "path", shape.schema, isRequired: true)
        }
    }

    private func queryParameters(of route: MessageRoute, _ members: [Shape.Member]) -> [JSONValue] {
        members.filter { !route.template.parameters.contains($0.name) }.map { member in
            var isRequired = member.isRequired
            // A list without values has no parameter.
            if case .list = member.shape { isRequired = false }
            return Self.parameter(member.name, in: "query", member.shape.schema, isRequired: isRequired)
        }
    }

    private static func parameter(
        _ name: String,
        in place: String,
        _ schema: JSONValue,
        isRequired: Bool
    ) -> JSONValue {
        .object([
            "name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": schema,
        ])
    }

    private static let keyParameter: JSONValue = .object([
        "name": .string("Idempotency-Key"), "in": .string("header"), "required": .bool(false),
        "schema": .object(["type": .string("string"), "maxLength": .integer(255)]),
        "description": .string(
            "A text that no other command has. A repeated request with it receives the outcome of the first."),
    ])

    // MARK: Responses

    private static let events = "text/event-stream"

    private func responses<Output>(of route: MessageRoute, _ output: Output.Type, media: [String]) throws -> JSONValue {
        var responses: [String: JSONValue] = ["default": try problem(of: route)]
        if let decodable = output as? any Decodable.Type {
            let schema = try reader.shape(of: decodable).schema
            let texts = media.map { $0 == Self.events ? "Each event has one value." : "The result." }
            responses["200"] = .object([
                "description": .string(texts.joined(separator: " ")),
                "content": .object(
                    Dictionary(media.map { ($0, .object(["schema": schema])) }) { first, _ in first }),
            ])
        } else {
            responses["204"] = .object(["description": .string("The command has taken effect.")])
        }
        return .object(responses)
    }

    /// The response to a message that has failed; a declared error is the member `error` of the problem.
    private func problem(of route: MessageRoute) throws -> JSONValue {
        let reference = Shape.reference("Problem").schema
        let errors = try route.errors.map { declared -> JSONValue in
            .object([
                "type": .string("object"),
                "required": .array([.string("type"), .string("value")]),
                "properties": .object([
                    "type": .object(["const": .string(declared.name)]),
                    "value": try reader.shape(of: declared.type).schema,
                ]),
            ])
        }
        let schema: JSONValue =
            errors.isEmpty
            ? reference
            : .object([
                "allOf": .array([
                    reference,
                    .object([
                        "type": .string("object"),
                        "properties": .object(["error": .object(["anyOf": .array(errors)])]),
                    ]),
                ])
            ])
        return .object([
            "description": .string("The message has failed."),
            "content": Self.content("application/problem+json", schema),
        ])
    }

    private static func content(_ media: String, _ schema: JSONValue) -> JSONValue {
        .object([media: .object(["schema": schema])])
    }

    /// Problem details.
    ///
    /// Related documentation: <https://www.rfc-editor.org/rfc/rfc9457>
    private static let problem = Shape.object([
        Shape.Member(name: "type", shape: .text(format: "uri-reference"), isRequired: true),
        Shape.Member(name: "title", shape: .text(format: nil), isRequired: true),
        Shape.Member(name: "status", shape: .integer(format: "int32"), isRequired: true),
        Shape.Member(name: "detail", shape: .text(format: nil), isRequired: true),
        Shape.Member(name: "code", shape: .text(format: nil), isRequired: true),
        Shape.Member(name: "instance", shape: .text(format: "uri"), isRequired: false),
        Shape.Member(
            name: "failures",
            shape: .list(
                .object([
                    Shape.Member(name: "path", shape: .text(format: nil), isRequired: true),
                    Shape.Member(name: "text", shape: .text(format: nil), isRequired: true),
                    Shape.Member(name: "line", shape: .integer(format: "int64"), isRequired: false),
                ])),
            isRequired: false
        ),
    ]).schema
}
#endif
