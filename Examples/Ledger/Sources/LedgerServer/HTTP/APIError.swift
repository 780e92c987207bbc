//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Hummingbird

/// An error in the form in which a client receives it.
struct APIError: Error, Sendable, Equatable {
    let status: HTTPResponse.Status

    /// The kind of error, stable enough to branch on.
    let code: String

    /// The cause and the remedy.
    let message: String

    /// The line of the sent journal, counting from 1; `nil` if the error concerns no line.
    var line: Int?

    /// The path of the invalid member of the body, separated by points; `nil` if the error concerns no member.
    var field: String?

    /// Seconds until a retry makes sense; `nil` if it doesn't.
    var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, line: Int? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.line = line
        self.retryAfter = retryAfter
    }

    /// Returns the error with the path of a member of the body.
    func about(_ field: String) -> APIError {
        var error = self
        error.field = field
        return error
    }

    static func notFound(_ message: String) -> APIError { APIError(.notFound, "notFound", message) }

    /// The disk has no room for `what`.
    static func full(_ what: String) -> APIError {
        APIError(
            HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            "full",
            "The disk of the server has no room for \(what), so nothing was stored. To fix, free space on the disk, "
                + "then send it again."
        )
    }

    static func malformed(_ message: String) -> APIError { APIError(.badRequest, "malformed", message) }
}

extension APIError: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        try response()
    }

    func response() throws -> Response {
        var response = try JSONAnswer(ErrorResponse(self), status: status).response()
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }
}

/// The body of an error response.
struct ErrorResponse: Codable, Equatable {
    struct Content: Codable, Equatable {
        let code: String
        let message: String
        let line: Int?
        var field: String?
    }

    let error: Content

    init(_ error: APIError) {
        self.error = Content(code: error.code, message: error.message, line: error.line, field: error.field)
    }
}
