// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Adds the routes by which a browser signs in and out.
    ///
    /// | route | effect |
    /// |---|---|
    /// | `GET` | responds with `{"required": true, "user": "ada"}`; the user is `null` before the sign-in |
    /// | `POST` with `{"token": "…"}` | sets the cookie of a new session, which replaces that of the browser; 401 if the token is wrong |
    /// | `DELETE` | ends the session and its event streams |
    ///
    /// The cookie is for HTTPS only if the page was loaded by HTTPS.
    ///
    /// - Parameters:
    ///   - access: The access; `nil` if the server has no users. Then a sign-in receives the status 404, and `required` is false.
    ///   - path: The path of the routes. It must not need a principal.
    public func session(_ access: TokenAccess?, at path: RouterPath = "session") {
        get(path) { request, _ in
            try SessionBody(required: access != nil, user: try access?.user(of: request)?.name).response
        }
        post(path) { request, _ in
            guard let access else {
                throw Problem(
                    .notFound, code: "noUsers", "The server has no users. To fix, send requests without a token.")
            }
            let limits = RequestLimits()
            try request.requireJSON()
            let body = try await request.collectedBody(upTo: 4_096, within: limits.bodyTime)
            let token = try JSONDecoder().decode(SignInBody.self, from: Data(body.readableBytesView)).token
            let isSecure = request.headers[.origin]?.lowercased().hasPrefix("https:") == true
            guard let cookie = try access.signIn(token, from: request, isSecure: isSecure) else {
                throw Problem.unauthorized("wrongToken", "The token is wrong. To fix, correct it.")
            }
            var response = Response(status: .noContent, headers: [.cacheControl: "no-store"])
            response.setCookie(cookie)
            return response
        }
        delete(path) { request, _ in
            var response = Response(status: .noContent, headers: [.cacheControl: "no-store"])
            if let access { response.setCookie(access.signOut(request)) }
            return response
        }
    }
}

private struct SignInBody: Decodable {
    let token: String
}

/// The body of the response about the session.
private struct SessionBody: Encodable {
    let required: Bool
    let user: String?

    private enum CodingKeys: CodingKey { case required, user }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(required, forKey: .required)
        try container.encode(user, forKey: .user)
    }

    var response: Response {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
                    .xContentTypeOptions: "nosniff",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(self)))
            )
        }
    }
}
#endif
