// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response of the inspector, independent of the server.
///
/// The server writes the status and the header fields, and then the body: at once, or event by event if it is a stream.
public struct InspectorResponse: Sendable {
    /// The content of a response.
    public enum Body: Sendable {
        /// The complete body.
        case data(Data)

        /// A stream of server-sent events that ends when the client disconnects.
        case stream(InspectorEventStream)
    }

    /// The status code.
    public var status: Int

    /// The header fields.
    ///
    /// The server adds the length of the body.
    public var headers: [(name: String, value: String)]

    /// The body.
    public var body: Body

    init(_ status: Int, type: String, _ data: Data, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers + Self.securityHeaders
        body = .data(data)
    }

    init(_ stream: InspectorEventStream) {
        status = 200
        headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")] + Self.securityHeaders
        body = .stream(stream)
    }

    /// Creates a response with `value` as JSON.
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
            return InspectorResponse(
                500, type: "text/plain; charset=utf-8", Data("The response could not be encoded as JSON.".utf8))
        }
    }

    /// Creates a response that reports an error and its fix.
    static func refusal(_ status: Int, _ message: String, headers: [(name: String, value: String)] = [])
        -> InspectorResponse
    {
        var response = json(["error": message], status: status)
        response.headers += headers
        return response
    }

    /// Header fields that forbid content of other origins, frames, and caches.
    private static let securityHeaders: [(name: String, value: String)] = [
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
