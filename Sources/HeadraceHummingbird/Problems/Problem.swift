// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Foundation
public import HTTPTypes
import HeadraceClient
public import HeadraceCore
public import Hummingbird

/// An error in the form in which a client receives it: a status and a problem-details body.
///
/// ```json
/// {
///   "code": "soldOut",
///   "detail": "The event has no seats left. To fix, choose another event.",
///   "status": 409,
///   "title": "Conflict",
///   "type": "about:blank"
/// }
/// ```
///
/// The media type is `application/problem+json`. ``ProblemTable`` makes problems of errors. A route can also throw a problem.
///
/// Related documentation: <https://www.rfc-editor.org/rfc/rfc9457>
public struct Problem: CodedError, HTTPResponseError {
    /// An invalid part of a request.
    public struct Failure: Hashable, Sendable, Codable {
        /// Path of the field, such as `lines[2].quantity`; empty for the request as a whole.
        public var path: String

        /// The reason, for the user who filled in the field.
        public var text: String

        /// Line of the body, counting from 1; `nil` if the body isn't a text with lines.
        public var line: Int?

        /// Creates a failure.
        public init(path: String, text: String, line: Int? = nil) {
            self.path = path
            self.text = text
            self.line = line
        }
    }

    /// The status of the response.
    public var status: HTTPResponse.Status

    /// The kind of problem, stable enough for clients to branch on.
    public var code: String

    /// A description of the problem and its fix, for the client.
    public var message: String

    /// A URI of the documentation of this kind of problem; `about:blank`, the default, for none.
    public var type = "about:blank"

    /// ID of this occurrence, which the log has too; `nil` if the log has no entry.
    ///
    /// The body contains it as `instance`, a URI such as `urn:uuid:…`.
    public var id: UUID?

    /// All invalid parts of the request; empty if the problem concerns no part.
    public var failures: [Failure] = []

    /// Further header fields of the response, such as `Retry-After`.
    public var headers: HTTPFields = [:]

    /// The error with all its members, if a route of a `MessageAPI` declares it; its name is a member, too.
    var error: (name: String, value: any Error & Encodable)?

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - status: The status of the response. Its reason phrase is the title of the problem.
    ///   - code: The kind of problem.
    ///   - message: A description of the problem and its fix. The client receives it, so it must not contain secrets.
    public init(_ status: HTTPResponse.Status, code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Returns the problem with the header field `Retry-After`, rounded up to whole seconds, at least 1.
    public func retry(after delay: Duration) -> Problem {
        var problem = self
        let (seconds, attoseconds) = delay.components
        problem.headers[.retryAfter] = "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
        return problem
    }

    /// Returns the problem with `failures`.
    public func with(_ failures: [Failure]) -> Problem {
        var problem = self
        problem.failures = failures
        return problem
    }

    /// The response with the problem as its body.
    public var response: Response {
        get throws {
            Response(status: status, headers: allHeaders, body: ResponseBody(byteBuffer: try body))
        }
    }

    var allHeaders: HTTPFields {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        headers[.xContentTypeOptions] = "nosniff"
        return headers
    }

    var body: ByteBuffer {
        get throws { ByteBuffer(bytes: try MessageJSON.encode(self)) }
    }

    /// Returns ``response``.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        try response
    }
}

extension Problem: Encodable {
    private enum CodingKeys: String, CodingKey { case type, title, status, detail, code, instance, failures, error }
    private enum ErrorKeys: String, CodingKey { case type, value }

    /// Encodes the members of the body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(status.reasonPhrase, forKey: .title)
        try container.encode(status.code, forKey: .status)
        try container.encode(message, forKey: .detail)
        try container.encode(code, forKey: .code)
        try container.encodeIfPresent(id.map { "urn:uuid:\($0.uuidString.lowercased())" }, forKey: .instance)
        if !failures.isEmpty { try container.encode(failures, forKey: .failures) }
        if let error {
            var member = container.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error)
            try member.encode(error.name, forKey: .type)
            try error.value.encode(to: member.superEncoder(forKey: .value))
        }
    }
}

extension Problem {
    static func malformed(_ message: String) -> Problem { Problem(.badRequest, code: "malformed", message) }

    /// A problem with the header field that a response with the status 401 must have.
    static func unauthorized(_ code: String, _ message: String) -> Problem {
        var problem = Problem(.unauthorized, code: code, message)
        problem.headers[.wwwAuthenticate] = "Bearer"
        return problem
    }

    static func unsupportedMethod(allowed: Set<HTTPRequest.Method>) -> Problem {
        var problem = Problem(
            .methodNotAllowed,
            code: "methodNotAllowed",
            "The path doesn't support this method. To fix, use one of those in the field 'Allow'."
        )
        problem.headers[.allow] = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return problem
    }

    static func tooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, code: "tooLarge", "The body is too long. To fix, send at most \(limit) bytes.")
    }

    /// A problem that reveals nothing about its error, which the log has under the same ID.
    static func unexpected(_ id: UUID) -> Problem {
        var problem = Problem(
            .internalServerError,
            code: "internal",
            "The server failed to handle the request. To fix, report the 'instance', which is also in its log."
        )
        problem.id = id
        return problem
    }
}

/// The table from errors to the problems that clients receive.
///
/// ```swift
/// var problems = ProblemTable()
/// problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }
/// ```
///
/// A new table has rules for the errors of Headrace and Hummingbird; see <doc:HTTPServers>. The rules that an application
/// adds come first, the last one before all others. An error without a rule is unexpected: the client receives the status
/// 500 with an ID, and the log has the error with the same ID.
public struct ProblemTable: Sendable {
    private var rules: [@Sendable (any Error) -> Problem?] = []

    private let hasStandardRules: Bool

    /// Creates a table.
    ///
    /// - Parameter standardRules: Whether the table has the rules for the errors of Headrace and Hummingbird.
    public init(standardRules: Bool = true) {
        hasStandardRules = standardRules
    }

    /// Adds a rule for errors of the type `error`.
    ///
    /// - Parameters:
    ///   - error: The type of the errors.
    ///   - problem: Returns the problem of an error, or `nil` to leave it to the rules that were added before.
    public mutating func add<E: Error>(_ error: E.Type, problem: @escaping @Sendable (E) -> Problem?) {
        rules.append { error in (error as? E).flatMap(problem) }
    }

    /// Adds a rule for coded errors of the type `error`.
    ///
    /// The client receives the code and the message of the error, so the message must not contain secrets.
    ///
    /// - Parameters:
    ///   - error: The type of the errors.
    ///   - status: Returns the status for a code.
    public mutating func add<E: CodedError>(
        _ error: E.Type,
        status: @escaping @Sendable (E.Code) -> HTTPResponse.Status
    ) {
        rules.append { error in
            (error as? E).map { Problem(status($0.code), code: $0.codeName, $0.message) }
        }
    }

    /// Adds a rule for coded errors of the type `error`, all with the status `status`.
    ///
    /// The client receives the code and the message of the error, so the message must not contain secrets.
    public mutating func add<E: CodedError>(_ error: E.Type, status: HTTPResponse.Status) {
        add(error) { (_: E.Code) in status }
    }

    /// Returns the problem of `error`; `nil` if the error is unexpected.
    public func problem(for error: any Error) -> Problem? {
        for rule in rules.reversed() {
            if let problem = rule(error) { return problem }
        }
        return hasStandardRules ? Self.standardProblem(for: error) : nil
    }
}
#endif
