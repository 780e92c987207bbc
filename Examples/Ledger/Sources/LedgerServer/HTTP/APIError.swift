//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Hummingbird

/// An error as a client is told of it.
struct APIError: Error, Sendable, Equatable {
    let status: HTTPResponse.Status

    /// What went wrong, stable enough to branch on.
    let code: String

    /// What happened and how to fix it.
    let message: String

    /// The line of the journal that was sent, counting from 1, if it is of one.
    var line: Int?

    /// Which member of the body it is about, the path parted by points, if it is about one.
    var field: String?

    /// How many seconds to wait before trying again, if that may help.
    var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, line: Int? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.line = line
        self.retryAfter = retryAfter
    }

    /// The same error, about a member of the body.
    func about(_ field: String) -> APIError {
        var error = self
        error.field = field
        return error
    }

    static func notFound(_ message: String) -> APIError { APIError(.notFound, "notFound", message) }

    /// There is no room for `what` on the disk.
    static func full(_ what: String) -> APIError {
        APIError(
            HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            "full",
            "There is no room for \(what) on the disk of the server, so nothing was stored. To fix, free some there, then "
                + "send it again."
        )
    }

    static func malformed(_ message: String) -> APIError { APIError(.badRequest, "malformed", message) }
}

extension APIError: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try JSONAnswer(ErrorWire(self), status: status).response()
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }
}

/// An error as JSON.
struct ErrorWire: Codable, Equatable {
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
