// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceCore
public import Hummingbird

/// Refuses requests without a principal with the status 401.
///
/// Add it after a ``RequestMiddleware`` whose configuration finds the principal. Routes for everyone belong to another group:
///
/// ```swift
/// let guarded = router.group().add(middleware: PrincipalGuardMiddleware())
/// ```
public struct PrincipalGuardMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Creates the middleware.
    public init() {}

    /// Handles `request` if it has a principal.
    ///
    /// - Throws: ``Problem`` if it has none; the errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard MessageContext.currentPrincipal != nil else {
            throw Problem.unauthorized(
                "unauthenticated",
                "The request needs a user. To fix, sign in, or send the field 'Authorization: Bearer' with a token."
            )
        }
        return try await next(request, context)
    }
}
#endif
