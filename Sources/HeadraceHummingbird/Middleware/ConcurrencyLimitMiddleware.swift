// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceCore
public import Hummingbird

/// Limits the number of requests that are handled at the same time.
///
/// A further request receives the status 503 with `Retry-After` at once, so that a server under too much load answers. A
/// request counts until its response is written, so an open event stream counts too.
public struct ConcurrencyLimitMiddleware<Context: RequestContext>: RouterMiddleware {
    private let permits: Permits
    private let retryAfter: Duration

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - limit: The number of requests that may be handled at the same time.
    ///   - retryAfter: The time after which clients should try again, rounded up to whole seconds.
    /// - Precondition: `limit` must not be negative.
    public init(_ limit: Int, retryAfter: Duration = .seconds(1)) {
        permits = Permits(limit)
        self.retryAfter = retryAfter
    }

    /// Handles `request` if the limit isn't reached.
    ///
    /// - Throws: ``Problem`` if it is reached; the errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let permit = permits.tryAcquire() else {
            throw Problem(
                .serviceUnavailable,
                code: "overloaded",
                "The server handles too many requests. To fix, send it again after the time in 'Retry-After'."
            )
            .retry(after: retryAfter)
        }
        var response = try await next(request, context)
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { withExtendedLifetime(permit) {} }
            try await body.write(writer)
        }
        return response
    }
}
#endif
