// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import Hummingbird
import NIOCore

/// Reads the body and the parameters of a request, within limits.
struct RequestReader {
    let request: Request
    let context: LedgerRequestContext

    /// Reads the body, which must have at most `limit` bytes and arrive within `timeout`.
    ///
    /// - Throws: ``Problem``.
    func bytes(limit: Int, within timeout: Duration) async throws -> [UInt8] {
        Array(try await request.collectedBody(upTo: limit, within: timeout).readableBytesView)
    }

    /// Throws if the `Content-Length` is more than `limit` bytes.
    func requireLength(atMost limit: Int) throws {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Self.tooLarge(limit)
        }
    }

    /// Reads a JSON body.
    func json<Value: Decodable>(_ type: Value.Type, limits: LedgerServerLimits) async throws -> Value {
        try requireType("application/json")
        let bytes = try await bytes(limit: limits.bodyBytes, within: limits.idleTimeout)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Problem.malformed("The body is not UTF-8. To fix, encode it as UTF-8.")
        }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Throws if the body has another media type.
    func requireType(_ type: String) throws {
        let stated = request.headers[.contentType] ?? ""
        let media = stated.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard media == type else {
            throw Problem(
                .unsupportedMediaType,
                code: "unsupportedType",
                "The body must have the type '\(type)'. To fix, set the field 'Content-Type'."
            )
        }
    }

    /// Throws if the query has another parameter.
    func requireParameters(_ names: String...) throws {
        let given = Self.rawParameters(of: request.uri.query ?? "").map(\.name)
        guard let unknown = given.first(where: { !names.contains($0) }) else { return }
        throw Problem.malformed("There is no parameter '\(unknown.prefix(64))'. To fix, correct or omit it.")
    }

    /// Returns the value of a query parameter; `nil` if it is missing.
    func parameter(_ name: String) throws -> String? {
        let values = request.uri.queryParameters[values: name[...]]
        if values.count > 1 { throw Problem.malformed("The parameter '\(name)' occurs twice. To fix, send it once.") }
        // Browsers encode a space as a plus sign, which Hummingbird doesn't decode.
        guard let value = values.first else { return nil }
        let raw = Self.rawParameters(of: request.uri.query ?? "").first { $0.name == name }?.value ?? value
        guard let decoded = raw.replacing("+", with: " ").removingPercentEncoding else {
            throw Problem.malformed("The parameter '\(name)' isn't percent-encoded UTF-8.")
        }
        return decoded
    }

    /// Returns the value of a query parameter.
    ///
    /// Throws if it is missing or empty.
    func required(_ name: String) throws -> String {
        guard let value = try parameter(name), !value.isEmpty else {
            throw Problem.malformed("The parameter '\(name)' is missing. To fix, add '?\(name)=…'.")
        }
        return value
    }

    /// Returns the value of a query parameter that is `true` or `false`; `nil` if it is missing.
    func flag(_ name: String) throws -> Bool? {
        guard let value = try parameter(name) else { return nil }
        guard let flag = Bool(value) else {
            throw Problem.malformed("The parameter '\(name)' must be 'true' or 'false'. To fix, correct or omit it.")
        }
        return flag
    }

    private static func rawParameters(of query: String) -> [(name: String, value: Substring)] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? parts[1] : "")
        }
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, code: "tooLarge", "The body is too long. To fix, send at most \(limit) bytes.")
    }
}

extension RouterMethods<LedgerRequestContext> {
    /// Adds a route whose requests aren't one message.
    ///
    /// The other routes are those of `MessageRoutes`. `/openapi.json` describes all routes.
    func on(
        _ path: RouterPath,
        method: HTTPRequest.Method,
        reading respond: @escaping @Sendable (RequestReader) async throws -> Response
    ) {
        on(path, method: method) { request, context in
            try await respond(RequestReader(request: request, context: context))
        }
    }
}
#endif
