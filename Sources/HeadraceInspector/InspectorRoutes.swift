// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// Answers requests to an ``Inspector`` from any HTTP server.
///
/// ```swift
/// let routes = InspectorRoutes(inspector, basePath: "/inspector")
/// print("http://127.0.0.1:8080" + routes.signInPath)
/// // in the handler of your server, for all methods and all paths below the base path
/// let response = await routes.respond(to: InspectorRequest(method: "GET", target: target, headers: headers))
/// ```
///
/// Each request needs the token. ``signInPath`` contains the token, and a browser that opens this path receives a cookie.
/// Requests with a host name that isn't in ``Limits/hosts`` and requests from a page of another origin are refused. Deliveries,
/// dead letters, and workflows can be changed only with `allowsWrites`.
///
/// The server must apply ``limits-swift.property`` to the bytes that it reads. When it shuts down, it must cancel the
/// tasks that write streams.
public final class InspectorRoutes: Sendable {
    /// Limits on requests.
    ///
    /// A request that exceeds a limit is refused with a status code for this limit.
    public struct Limits: Sendable {
        /// Maximum size of the path and the query in bytes; 2,048 by default.
        public var targetLength = 2_048

        /// Maximum number of header fields; 64 by default.
        public var headerCount = 64

        /// Maximum size of all header fields in bytes; 16 KiB by default.
        public var headerLength = 16 << 10

        /// Maximum size of the body in bytes; 1 MiB by default.
        public var bodyLength = 1 << 20

        /// The reason why a longer body is refused.
        var bodyRefusal: String {
            "The body is longer than \(bodyLength) bytes. To fix, raise the limit 'bodyLength', or send a shorter body."
        }

        /// Maximum size of a search text in bytes; 200 by default.
        public var searchLength = 200

        /// Maximum number of dead letters or deliveries in one request; 1,000 by default.
        public var deadLetterCount = 1_000

        /// Maximum number of actions in an imported journal; 10,000 by default.
        public var journalCount = 10_000

        /// Maximum number of open streams; 8 by default.
        public var streamCount = 8

        /// Accepted host names without a port; `127.0.0.1` and `localhost` by default.
        ///
        /// This prevents DNS rebinding: a foreign site that points its own name to this machine is refused. An IPv6 address
        /// has brackets.
        public var hosts: Set<String> = ["127.0.0.1", "localhost"]

        /// Creates limits with the default values.
        public init() {}
    }

    /// Limits on requests.
    public let limits: Limits

    /// Whether operators may change deliveries: replay, retry, cancel, discard, pause, and resume; cancel, retry, and terminate
    /// workflows; and restore states of stations.
    public let allowsWrites: Bool

    let inspector: Inspector
    let basePath: String
    private let token = AccessToken()
    private let session = AccessToken()
    private let cookieName: String
    let streamPermits: Permits
    let handles = InstanceHandles()

    /// Creates routes with a new token.
    ///
    /// - Parameters:
    ///   - inspector: The inspector to serve.
    ///   - basePath: The path below which the routes are, without a slash at the end; empty for the root of a server.
    ///   - allowsWrites: Whether operators may change deliveries, dead letters, subscriptions, workflows, and stations.
    ///   - limits: Limits on requests.
    public init(_ inspector: Inspector, basePath: String = "", allowsWrites: Bool = false, limits: Limits = Limits()) {
        self.inspector = inspector
        self.basePath = basePath
        self.allowsWrites = allowsWrites
        self.limits = limits
        // Browsers share cookies between the ports of a host, so each inspector needs a name of its own.
        cookieName = "headrace-inspector-\(AccessToken().text.prefix(8))"
        streamPermits = Permits(max(0, limits.streamCount))
    }

    /// The path that signs a browser in.
    ///
    /// It contains the token, so keep it secret.
    public var signInPath: String { "\(basePath)/?token=\(token.text)" }

    /// The token for clients that send the header field `Authorization: Bearer …`.
    public var bearerToken: String { token.text }

    /// Answers `request`.
    ///
    /// An invalid request receives a response with an error message.
    public nonisolated(nonsending) func respond(to request: InspectorRequest) async -> InspectorResponse {
        await respond(to: request) { request.body }
    }

    /// Answers `request`, and reads its body only after the token was accepted.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - body: Reads the body, within the limits.
    /// - Returns: The response; an invalid request receives one with an error message.
    /// - Throws: The error of `body`.
    public nonisolated(nonsending) func respond<Failure: Error>(
        to request: InspectorRequest,
        readingBody body: nonisolated(nonsending) () async throws(Failure) -> Data
    ) async throws(Failure) -> InspectorResponse {
        if let refusal = refusal(of: request) { return refusal }
        if request.target == basePath, !basePath.isEmpty {
            return InspectorResponse(308, type: "text/plain", Data(), headers: [("Location", basePath + "/")])
        }
        guard let target = RequestTarget(request.target, below: basePath) else {
            return .refusal(400, "The path or the query is malformed. To fix, use a path that the page uses.")
        }
        if target.path.isEmpty, request.method == "GET", let token = target.query["token"] { return signIn(token) }
        guard isSignedIn(request) else {
            return .refusal(
                401,
                "The token is missing or wrong. To fix, open the address that was printed when the inspector started.",
                headers: [("WWW-Authenticate", "Bearer")]
            )
        }
        switch request.method {
        case "GET": return await get(target)
        case "POST":
            var complete = request
            complete.body = try await body()
            if complete.body.count > limits.bodyLength { return .refusal(413, limits.bodyRefusal) }
            return await post(target, complete)
        default:
            return .refusal(
                405, "The method '\(request.method.truncated(to: 16))' isn't supported.",
                headers: [("Allow", "GET, POST")])
        }
    }

    // MARK: Access

    private func refusal(of request: InspectorRequest) -> InspectorResponse? {
        if request.target.utf8.count > limits.targetLength {
            return .refusal(414, "The path and the query are longer than \(limits.targetLength) bytes.")
        }
        let length = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if request.headers.count > limits.headerCount || length > limits.headerLength {
            return .refusal(
                431,
                "There are more than \(limits.headerCount) header fields, or they are longer than \(limits.headerLength) bytes."
            )
        }
        guard let host = request.value(of: "host"), limits.hosts.contains(Self.name(of: host)) else {
            return .refusal(
                421,
                "The host name isn't accepted. To fix, use the address that was printed when the inspector started.")
        }
        let origins = request.values(of: "origin")
        if !origins.allSatisfy({ $0 == "http://\(host)" || $0 == "https://\(host)" }) {
            return .refusal(403, "The request comes from a page of another origin.")
        }
        // A page of another site may link to the inspector, but not load a part of it.
        let isNavigation = request.method == "GET" && request.value(of: "sec-fetch-mode") == "navigate"
        if request.value(of: "sec-fetch-site") == "cross-site", !isNavigation {
            return .refusal(403, "The request comes from a page of another site.")
        }
        return nil
    }

    /// Returns the host without its port; empty if it is malformed.
    private static func name(of host: String) -> String {
        // An IPv6 address has brackets around its colons.
        let bracket = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
        let end = bracket ?? host.firstIndex(of: ":") ?? host.endIndex
        let rest = host[end...]
        if !rest.isEmpty, rest.first != ":" || UInt16(rest.dropFirst()) == nil { return "" }
        return host[..<end].lowercased()
    }

    /// Exchanges the token for a cookie.
    private func signIn(_ given: String) -> InspectorResponse {
        guard token.matches(given) else {
            return .refusal(
                401, "The token is wrong. To fix, open the address that was printed when the inspector started.")
        }
        let cookie = "\(cookieName)=\(session.text); Path=\(basePath)/; HttpOnly; SameSite=Strict"
        return InspectorResponse(
            303,
            type: "text/plain; charset=utf-8",
            Data("Signed in.".utf8),
            headers: [("Location", "\(basePath)/"), ("Set-Cookie", cookie)]
        )
    }

    private func isSignedIn(_ request: InspectorRequest) -> Bool {
        if let authorization = request.value(of: "authorization") {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "bearer" && token.matches(String(parts[1]))
        }
        for field in request.values(of: "cookie") {
            for cookie in field.split(separator: ";") {
                let parts = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2, parts[0] == cookieName, session.matches(parts[1]) { return true }
            }
        }
        return false
    }
}
