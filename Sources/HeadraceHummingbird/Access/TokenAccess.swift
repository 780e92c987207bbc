//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Hummingbird
public import HeadraceCore
import HeadraceInspector
public import Hummingbird
import Synchronization

/// Identifies the user of each request by a token, or by the cookie of a browser that has signed in.
///
/// ```swift
/// let access = TokenAccess(users)
/// requests.principal = { request, _ in access.user(of: request) }
/// router.addMiddleware {
///     RequestMiddleware(requests)
///     HostGuardMiddleware(hosts: ["books.example"])
/// }
/// router.session(access, at: "session")
/// let guarded = router.group().add(middleware: PrincipalGuardMiddleware())
/// ```
///
/// A program sends its token in the field `Authorization: Bearer …`. A browser exchanges the token for a cookie with a session,
/// which scripts can't read, and which other sites can't use. Sessions are in memory, so they end with the process. With several
/// processes, a load balancer must send the requests of a browser to the same process.
///
/// Tokens are compared in constant time, and always with the tokens of all users.
public final class TokenAccess: Sendable {
    /// The settings of sessions.
    public struct Configuration: Sendable {
        /// Name of the cookie; `headrace-session` by default.
        ///
        /// Browsers share cookies between the ports of a host, so servers on one host need different names.
        public var cookieName = "headrace-session"

        /// Time after which a session ends; 30 days by default.
        public var sessionTime: Duration = .seconds(30 * 86_400)

        /// Maximum number of sessions, at least 1; 1,000 by default.
        ///
        /// A further session ends the oldest session.
        public var sessionCount = 1_000

        /// The clock of the sessions.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates the default settings.
        public init() {}
    }

    private struct Session {
        let user: TokenUser
        let end: ContinuousClock.Instant
    }

    private let users: [TokenUser]
    private let configuration: Configuration

    /// The sessions by the values of their cookies.
    ///
    /// The hash of a value has a random seed, so the duration of a look-up reveals nothing about other values.
    private let sessions = Mutex<[String: Session]>([:])

    /// Creates the access of `users`.
    public init(_ users: [TokenUser], _ configuration: Configuration = Configuration()) {
        self.users = users
        self.configuration = configuration
    }

    /// Returns the user of a request; `nil` if the token or the cookie is missing or wrong.
    ///
    /// If the request has the field `Authorization`, the cookie is ignored.
    public func user(of request: Request) -> TokenUser? {
        if let authorization = request.headers[.authorization] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return user(withToken: String(parts[1]))
        }
        guard let value = session(of: request) else { return nil }
        return sessions.withLock { sessions in
            guard let session = sessions[value] else { return nil }
            if session.end > configuration.clock.now { return session.user }
            sessions[value] = nil
            return nil
        }
    }

    /// Returns the user with a token.
    private func user(withToken token: String) -> TokenUser? {
        // All tokens are compared, so that the duration doesn't depend on the position of the match.
        users.reduce(nil) { found, user in user.token.matches(token) ? user : found }
    }

    private func session(of request: Request) -> String? { request.cookies[configuration.cookieName]?.value }

    /// Begins a session.
    ///
    /// - Returns: The cookie; `nil` if no user has the token.
    func signIn(_ token: String, isSecure: Bool) -> Cookie? {
        guard let user = user(withToken: token) else { return nil }
        let value = AccessToken().text
        let now = configuration.clock.now
        let session = Session(user: user, end: now.advanced(by: configuration.sessionTime))
        sessions.withLock { sessions in
            if sessions.count >= configuration.sessionCount { sessions = sessions.filter { $0.value.end > now } }
            if sessions.count >= configuration.sessionCount,
                let oldest = sessions.min(by: { $0.value.end < $1.value.end })?.key
            {
                sessions[oldest] = nil
            }
            sessions[value] = session
        }
        return cookie(value, age: configuration.sessionTime, isSecure: isSecure)
    }

    /// Ends the session of a request, and returns a cookie that removes its cookie.
    func signOut(_ request: Request) -> Cookie {
        if let value = session(of: request) { sessions.withLock { $0[value] = nil } }
        return cookie("", age: .zero, isSecure: false)
    }

    private func cookie(_ value: String, age: Duration, isSecure: Bool) -> Cookie {
        Cookie(
            name: configuration.cookieName,
            value: value,
            maxAge: Int(age.components.seconds),
            path: "/",
            secure: isSecure,
            httpOnly: true,
            sameSite: .strict
        )
    }
}
#endif
