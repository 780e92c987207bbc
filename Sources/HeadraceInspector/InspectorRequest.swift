// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to the inspector, independent of the server.
public struct InspectorRequest: Sendable {
    /// The method in uppercase letters.
    public var method: String

    /// The percent-encoded path and query as the client sent them, including the base path of the routes.
    public var target: String

    /// The header fields in the order of the request.
    ///
    /// Names are case-insensitive.
    public var headers: [(name: String, value: String)]

    /// The complete body.
    ///
    /// The server must limit its size to ``InspectorRoutes/Limits/bodyLength``.
    public var body: Data

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: Data = Data()) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Returns the values of all fields `name`, which must be lowercase.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the value of the field `name`, or `nil` unless there is exactly one such field.
    func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// The path and the query of a request, parsed and decoded.
struct RequestTarget: Equatable {
    /// Decoded segments of the path.
    let path: [String]

    /// Decoded parameters.
    ///
    /// If several have the same name, the first is used.
    let query: [String: String]

    private static let parameterLimit = 16

    /// Parses `target`.
    ///
    /// Returns `nil` if `target` is malformed or isn't below `base`.
    ///
    /// Paths aren't normalized. Segments of dots, empty segments, backslashes, and control characters are refused, encoded
    /// or not.
    init?(_ target: String, below base: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let rawPath = parts.first, rawPath.hasPrefix(base + "/") else { return nil }
        let relative = rawPath.dropFirst(base.count + 1)
        var path: [String] = []
        for segment in relative.split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = segment.removingPercentEncoding, text != ".", text != "..",
                !text.contains(where: { $0 == "/" || $0 == "\\" }),
                !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return nil }
            path.append(text)
        }
        if path == [""] { path = [] }
        if path.contains("") { return nil }

        var query: [String: String] = [:]
        if parts.count > 1, !parts[1].isEmpty {
            let pairs = parts[1].split(separator: "&", omittingEmptySubsequences: false)
            if pairs.count > Self.parameterLimit { return nil }
            for pair in pairs {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                    $0.replacing("+", with: " ").removingPercentEncoding
                }
                guard let name = sides[0], let value = sides.count > 1 ? sides[1] : "" else { return nil }
                if query[name] == nil { query[name] = value }
            }
        }
        self.path = path
        self.query = query
    }
}

/// A secret text, compared in constant time.
package struct AccessToken: Sendable {
    /// The secret.
    package let text: String

    /// Creates a token of 128 bits from the system's random number generator, as hexadecimal text.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let bits = [generator.next() as UInt64, generator.next() as UInt64]
        text = bits.map { String($0, radix: 16).leftPadded(to: 16) }.joined()
    }

    /// Creates a token that is known to others.
    package init(_ text: String) {
        self.text = text
    }

    /// Compares in a time that depends on the length of `other` only, so that a refusal reveals nothing about the token.
    package func matches(_ other: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(other.utf8))
        if own.isEmpty { return false }
        var difference = own.count ^ other.count
        for (index, byte) in other.enumerated() { difference |= Int(byte ^ own[index % own.count]) }
        return difference == 0
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}

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
