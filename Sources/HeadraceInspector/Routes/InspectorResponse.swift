//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What the inspector answers.
///
/// A server writes the head, and then the body: at once, or as the stream gives it.
public struct InspectorResponse: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// All of it.
        case data(Data)

        /// A stream of server-sent events, for as long as the client listens.
        case stream(InspectorEventStream)
    }

    /// The status code.
    public var status: Int

    /// The header fields, without the length of the body: the server knows how it writes that.
    public var headers: [(name: String, value: String)]

    /// What follows the head.
    public var body: Body

    init(_ status: Int, type: String, _ data: Data, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers + Self.cautions
        body = .data(data)
    }

    init(_ stream: InspectorEventStream) {
        status = 200
        headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")] + Self.cautions
        body = .stream(stream)
    }

    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) -> InspectorResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        do {
            return InspectorResponse(status, type: "application/json", try encoder.encode(value))
        } catch {
            return InspectorResponse(500, type: "text/plain; charset=utf-8", Data("It cannot be written as JSON.".utf8))
        }
    }

    /// A refusal: what is wrong, and how to mend it.
    static func refusal(_ status: Int, _ message: String, headers: [(name: String, value: String)] = [])
        -> InspectorResponse
    {
        var response = json(["error": message], status: status)
        response.headers += headers
        return response
    }

    /// Nothing from elsewhere is loaded, nobody frames the page, and nothing of it is kept.
    private static let cautions: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
        ),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]
}
