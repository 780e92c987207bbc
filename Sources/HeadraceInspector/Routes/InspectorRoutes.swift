//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Answers requests to an ``Inspector``, whichever server has received them.
///
/// ```swift
/// let routes = InspectorRoutes(inspector, basePath: "/inspector")
/// print("http://127.0.0.1:8080" + routes.entrance)
/// // in the handler of your server, for all methods and all paths below the base path
/// let response = await routes.respond(to: InspectorRequest(method: "GET", target: target, headers: headers))
/// ```
///
/// It answers who knows the token, which ``entrance`` has in it and which a browser trades for a cookie, and only under
/// the host names of ``Limits/hosts``; what comes from a page of another origin is refused. It changes nothing unless it
/// is made with `allowsWrites`.
///
/// A server limits what it reads, by ``limits-swift.property``, and ends open streams when it shuts down, by cancelling the tasks that
/// write them.
public final class InspectorRoutes: Sendable {
    /// What a client may send at the most; what exceeds it is refused with a status that says so.
    public struct Limits: Sendable {
        /// How many bytes the path and the query have; 2,048 unless told otherwise.
        public var targetLength = 2_048

        /// How many header fields there are; 64 unless told otherwise.
        public var headerCount = 64

        /// How many bytes the header fields have in all; 16 KiB unless told otherwise.
        public var headerLength = 16 << 10

        /// How many bytes the body has; 64 KiB unless told otherwise.
        public var bodyLength = 64 << 10

        /// How many bytes what is searched for has; 200 unless told otherwise.
        public var searchLength = 200

        /// How many dead letters one request names; 1,000 unless told otherwise.
        public var letterCount = 1_000

        /// How many streams are open at a time; 8 unless told otherwise.
        public var streamCount = 8

        /// The host names, without port, under which it answers; those of this machine unless told otherwise.
        ///
        /// Whoever gives another name an address of this machine gets nothing.
        public var hosts: Set<String> = ["127.0.0.1", "localhost"]

        /// Creates the limits that hold unless told otherwise.
        public init() {}
    }

    /// What a client may send.
    public let limits: Limits

    /// Whether dead letters may be replayed and discarded.
    public let allowsWrites: Bool

    let inspector: Inspector
    let basePath: String
    private let token = AccessToken()
    private let session = AccessToken()
    private let cookieName: String
    private let tickets: Ticket.Office

    /// Creates routes with a new token.
    ///
    /// - Parameters:
    ///   - inspector: What is shown.
    ///   - basePath: Below which path they are, without a slash at the end; empty for all of a server.
    ///   - allowsWrites: Whether dead letters may be replayed and discarded.
    ///   - limits: What a client may send.
    public init(_ inspector: Inspector, basePath: String = "", allowsWrites: Bool = false, limits: Limits = Limits()) {
        self.inspector = inspector
        self.basePath = basePath
        self.allowsWrites = allowsWrites
        self.limits = limits
        // Cookies do not tell ports apart: two inspectors of one machine need two names.
        cookieName = "headrace-inspector-\(AccessToken().text.prefix(8))"
        tickets = Ticket.Office(limit: limits.streamCount)
    }

    /// The path, with the token in it, at which a browser gets in: give it to nobody else.
    public var entrance: String { "\(basePath)/?token=\(token.text)" }

    /// The token, for clients that send it in a header field: `Authorization: Bearer …`.
    public var bearerToken: String { token.text }

    /// Answers `request`.
    ///
    /// It never throws: what is wrong with a request is told in the answer.
    public nonisolated(nonsending) func respond(to request: InspectorRequest) async -> InspectorResponse {
        if let refusal = refusal(of: request) { return refusal }
        if request.target == basePath, !basePath.isEmpty {
            return InspectorResponse(308, type: "text/plain", Data(), headers: [("Location", basePath + "/")])
        }
        guard let target = RequestTarget(request.target, below: basePath) else {
            return .refusal(400, "The path or the query is not written as one. To fix, take one that the page takes.")
        }
        if target.path.isEmpty, request.method == "GET", let given = target.query["token"] { return admit(given) }
        guard isAdmitted(request) else {
            return .refusal(
                401,
                "The token is missing or wrong. To fix, open the address that was printed when the inspector started.",
                headers: [("WWW-Authenticate", "Bearer")]
            )
        }
        switch request.method {
        case "GET": return await get(target)
        case "POST": return await post(target, request)
        default:
            return .refusal(
                405, "'\(request.method.shortened(to: 16))' does nothing here.", headers: [("Allow", "GET, POST")])
        }
    }

    // MARK: Who may ask

    private func refusal(of request: InspectorRequest) -> InspectorResponse? {
        if request.target.utf8.count > limits.targetLength {
            return .refusal(414, "The path and the query are longer than \(limits.targetLength) bytes.")
        }
        let length = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if request.headers.count > limits.headerCount || length > limits.headerLength {
            return .refusal(
                431, "There are more than \(limits.headerCount) header fields or \(limits.headerLength) bytes.")
        }
        if request.body.count > limits.bodyLength {
            return .refusal(413, "The body is longer than \(limits.bodyLength) bytes.")
        }
        guard let host = request.value(of: "host"), limits.hosts.contains(Self.name(of: host)) else {
            return .refusal(421, "This is not the host that was asked for. To fix, use the address that was printed.")
        }
        let origins = request.values(of: "origin")
        if !origins.allSatisfy({ $0 == "http://\(host)" || $0 == "https://\(host)" }) {
            return .refusal(403, "The request comes from a page of another origin.")
        }
        return nil
    }

    /// The host without its port.
    private static func name(of host: String) -> String {
        let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count > 1, UInt16(parts[1]) == nil { return "" }
        return parts[0].lowercased()
    }

    /// Trades the token for a cookie.
    private func admit(_ given: String) -> InspectorResponse {
        guard token.matches(given) else {
            return .refusal(
                401, "The token is wrong. To fix, open the address that was printed when the inspector started.")
        }
        let cookie = "\(cookieName)=\(session.text); Path=\(basePath)/; HttpOnly; SameSite=Strict"
        return InspectorResponse(
            303,
            type: "text/plain; charset=utf-8",
            Data("Welcome.".utf8),
            headers: [("Location", "\(basePath)/"), ("Set-Cookie", cookie)]
        )
    }

    private func isAdmitted(_ request: InspectorRequest) -> Bool {
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

    /// A ticket for a stream, or `nil` where there are too many.
    func takeTicket() -> Ticket? { tickets.take() }
}
