//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body and the parameters of a request, within limits.
struct RequestReader {
    let request: Request
    let context: LedgerRequestContext

    /// Reads the body, which must have at most `limit` bytes and arrive within `timeout`.
    ///
    /// - Throws: ``APIError``. If the client is too slow, the connection is closed, too.
    func bytes(limit: Int, within timeout: Duration) async throws -> [UInt8] {
        try requireLength(atMost: limit)
        let body = request.body
        let channel = context.channel
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await buffer in body {
                    if bytes.count + buffer.readableBytes > limit { throw Self.tooLarge(limit) }
                    bytes.append(contentsOf: buffer.readableBytesView)
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() ?? nil else {
                // The rest of the body would keep the connection busy.
                channel.eventLoop.execute {
                    channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
                }
                throw APIError(
                    .requestTimeout, "tooSlow", "The request did not arrive in time. To fix, send it again, faster.")
            }
            return bytes
        }
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
            throw APIError.malformed("The body is not UTF-8. To fix, encode it as UTF-8.")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw APIError.malformed(error.explanation)
        }
    }

    /// Throws if the body has another media type.
    func requireType(_ type: String) throws {
        let stated = request.headers[.contentType] ?? ""
        let media = stated.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard media == type else {
            throw APIError(
                .unsupportedMediaType,
                "unsupportedType",
                "The body must have the type '\(type)'. To fix, set the field 'Content-Type'."
            )
        }
    }

    /// Returns the value of a query parameter; `nil` if it is missing.
    func parameter(_ name: String) throws -> String? {
        let values = request.uri.queryParameters[values: name[...]]
        if values.count > 1 { throw APIError.malformed("The parameter '\(name)' occurs twice. To fix, send it once.") }
        // Browsers encode a space as a plus sign, which Hummingbird doesn't decode.
        guard let value = values.first else { return nil }
        let raw = Self.rawParameters(of: request.uri.query ?? "").first { $0.name == name }?.value ?? value
        guard let decoded = raw.replacing("+", with: " ").removingPercentEncoding else {
            throw APIError.malformed("The parameter '\(name)' isn't percent-encoded UTF-8.")
        }
        return decoded
    }

    /// Returns the value of a query parameter.
    ///
    /// Throws if it is missing or empty.
    func required(_ name: String) throws -> String {
        guard let value = try parameter(name), !value.isEmpty else {
            throw APIError.malformed("The parameter '\(name)' is missing. To fix, add '?\(name)=…'.")
        }
        return value
    }

    /// Returns the identifier in the path.
    func id(_ what: String) throws -> UUID {
        guard let id = context.parameters.get("id").flatMap({ UUID(uuidString: $0) }) else {
            throw APIError.notFound("There is no such \(what). To fix, use its identifier, which is a UUID.")
        }
        return id
    }

    private static func rawParameters(of query: String) -> [(name: String, value: Substring)] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? parts[1] : "")
        }
    }

    private static func tooLarge(_ limit: Int) -> APIError {
        APIError(.contentTooLarge, "tooLarge", "The body is too long. To fix, send at most \(limit) bytes.")
    }
}

extension DecodingError {
    /// The error in the JSON, for the client.
    fileprivate var explanation: String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty
                ? "The body"
                : "'" + path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".") + "'"
        }
        switch self {
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            return "The body is not JSON."
        case .dataCorrupted(let context):
            return "\(place(context.codingPath)) is invalid: \(context.debugDescription)"
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath + [key])) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(place(context.codingPath)) has the wrong type: \(context.debugDescription)"
        @unknown default:
            return "The body is invalid."
        }
    }
}
