// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceCore
public import Hummingbird

/// Refuses requests with a foreign host name, and requests of pages from other origins.
///
/// Other sites can link to a page, but not load its parts, which browsers tell by the field `Sec-Fetch-Site`.
///
/// This prevents cross-site request forgery. It also prevents DNS rebinding, in which a foreign name resolves to this
/// machine. Both receive the status 403.
public struct HostGuardMiddleware<Context: RequestContext>: RouterMiddleware {
    private let hosts: Set<String>
    private let origins: Set<String>

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - hosts: The accepted host names and addresses, without a port. The names of the local machine are always accepted.
    ///   - origins: Origins of other sites whose pages may send requests, such as `https://shop.example`. Pages of the
    ///     same host are always accepted, and so are requests without the field `Origin`.
    public init(hosts: some Sequence<String> = [], origins: some Sequence<String> = []) {
        self.hosts = Set((["127.0.0.1", "localhost", "::1"] + hosts).map { Self.authority(of: $0.lowercased()) })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// Handles `request` if its host and its origin are accepted.
    ///
    /// - Throws: ``Problem``; the errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // The authority of the request is the first 'Host' field. The headers contain only further 'Host' fields.
        guard request.headers[values: .host].isEmpty else {
            throw Problem.malformed("The field 'Host' occurs twice. To fix, send it once.")
        }
        let host = request.head.authority?.lowercased() ?? ""
        guard hosts.contains(Self.name(of: host)) else {
            throw Problem(
                .forbidden,
                code: "foreignHost",
                "The server doesn't accept this host name. To fix, use the address of the server."
            )
        }
        let accepted = request.headers[values: .origin].map { $0.lowercased() }.allSatisfy {
            $0 == "http://\(host)" || $0 == "https://\(host)" || origins.contains($0)
        }
        guard accepted else {
            throw Problem(
                .forbidden, code: "foreignOrigin", "Pages of other sites must not send requests to this server.")
        }
        // An image or a script of another site has no 'Origin'. Links from other sites are welcome.
        let isLink = [.get, .head].contains(request.method) && request.headers[.secFetchMode] == "navigate"
        guard request.headers[.secFetchSite] != "cross-site" || isLink || request.headers[.origin] != nil else {
            throw Problem(.forbidden, code: "foreignSite", "Pages of other sites must not load parts of this server.")
        }
        return try await next(request, context)
    }

    /// Returns `host` as in a URL, which has brackets around an IPv6 address.
    private static func authority(of host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// Returns `host` without its port.
    private static func name(of host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host }
        let port = host[host.index(after: colon)...]
        return port.allSatisfy { $0.isASCII && $0.isNumber } ? String(host[..<colon]) : host
    }
}

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
