// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Hummingbird

/// Adds the header fields to all responses that forbid content of other origins, frames, and guessed types.
///
/// A field that a route has set stays.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = LedgerRequestContext

    private static let fields: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        ),
        (.named("Cross-Origin-Opener-Policy"), "same-origin"),
        (.named("Cross-Origin-Resource-Policy"), "same-origin"),
        (.named("Referrer-Policy"), "no-referrer"),
        (.xContentTypeOptions, "nosniff"),
        (.named("X-Frame-Options"), "DENY"),
    ]

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.fields where response.headers[name] == nil { response.headers[name] = value }
        return response
    }
}
#endif
