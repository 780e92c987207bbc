// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCore
import HeadraceInspector
public import Hummingbird
import Logging
import Synchronization

/// Identifies the user of each request by a token, or by the cookie of a browser that has signed in.
///
/// ```swift
/// let access = TokenAccess(users)
/// requests.principal = { request, _ in try access.user(of: request) }
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

        /// Maximum number of sessions of each user, at least 1; 16 by default.
        ///
        /// A further session ends the oldest session of the user.
        public var sessionCount = 16

        /// Number of wrong tokens in a minute from which on each receives the status 429; 20 by default.
        ///
        /// A right token is always accepted, so a stranger can't lock out a user.
        public var wrongTokenCount = 20

        /// The clock of the sessions.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates the default settings.
        public init() {}
    }

    private let users: [TokenUser]
    private let configuration: Configuration

    /// The sessions by the values of their cookies.
    ///
    /// The hash of a value has a random seed, so the duration of a look-up reveals nothing about other values.
    private let sessions = Mutex<[String: TokenSession]>([:])

    private let wrongTokens = Mutex(WrongTokens())

    /// Creates the access of `users`.
    public init(_ users: [TokenUser], _ configuration: Configuration = Configuration()) {
        self.users = users
        self.configuration = configuration
    }

    /// Returns the user of a request; `nil` if the token or the cookie is missing or wrong.
    ///
    /// If the request has the field `Authorization`, the cookie is ignored. A wrong token is logged, without its text.
    ///
    /// - Throws: ``Problem`` with the status 429 if the token is wrong, as too many others were in the last minute.
    public func user(of request: Request) throws -> TokenUser? {
        if let authorization = request.headers[.authorization] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return try user(withToken: String(parts[1]))
        }
        guard let value = session(of: request) else { return nil }
        let session = sessions.withLock { $0[value] }
        guard let session else { return nil }
        if session.end > configuration.clock.now { return session.principal }
        end(value)
        return nil
    }

    /// Returns the user with a token; `nil` if no user has it.
    private func user(withToken token: String) throws -> TokenUser? {
        // All tokens are compared, so that the duration doesn't depend on the position of the match.
        if let user = users.reduce(nil, { found, user in user.token.matches(token) ? user : found }) { return user }
        let now = configuration.clock.now
        let count = wrongTokens.withLock { $0.add(at: now) }
        if count <= configuration.wrongTokenCount {
            Logger.current.warning("A request had a wrong token", metadata: ["headrace.tokens.wrong": "\(count)"])
            return nil
        }
        throw Problem(
            .tooManyRequests, code: "wrongTokens",
            "There were too many wrong tokens. To fix, wait, then send the right one."
        )
        .retry(after: .seconds(60))
    }

    private func session(of request: Request) -> String? { request.cookies[configuration.cookieName]?.value }

    /// Begins a session, which replaces the session of the same browser.
    ///
    /// - Returns: The cookie; `nil` if no user has the token.
    /// - Throws: The errors of ``user(of:)``.
    func signIn(_ token: String, from request: Request, isSecure: Bool) throws -> Cookie? {
        guard let user = try user(withToken: token) else { return nil }
        if let value = session(of: request) { end(value) }
        let value = AccessToken().text
        let now = configuration.clock.now
        let session = TokenSession(
            user: user, end: now.advanced(by: configuration.sessionTime), clock: configuration.clock)
        let ended = sessions.withLock { sessions in
            var ended = sessions.filter { $0.value.end <= now }
            let others = sessions.filter { $0.value.user.name == user.name && $0.value.end > now }
            if others.count >= max(1, configuration.sessionCount),
                let oldest = others.min(by: { $0.value.end < $1.value.end })
            {
                ended[oldest.key] = oldest.value
            }
            for key in ended.keys { sessions[key] = nil }
            sessions[value] = session
            return ended.values
        }
        for session in ended { session.ended.set(()) }
        return cookie(value, age: configuration.sessionTime, isSecure: isSecure)
    }

    /// Ends the session of a request, and returns a cookie that removes its cookie.
    func signOut(_ request: Request) -> Cookie {
        if let value = session(of: request) { end(value) }
        return cookie("", age: .zero, isSecure: false)
    }

    /// Ends the session with a cookie, and with it the event streams of the session.
    private func end(_ value: String) {
        sessions.withLock { $0.removeValue(forKey: value) }?.ended.set(())
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

/// The wrong tokens of the current minute.
private struct WrongTokens {
    private var count = 0
    private var end: ContinuousClock.Instant?

    /// Adds a wrong token, and returns the number of wrong tokens in the current minute.
    mutating func add(at now: ContinuousClock.Instant) -> Int {
        if end.map({ now >= $0 }) ?? true {
            count = 0
            end = now.advanced(by: .seconds(60))
        }
        count += 1
        return count
    }
}

/// A session of a browser.
final class TokenSession: Sendable {
    let user: TokenUser
    let end: ContinuousClock.Instant

    /// Whether the user has signed out, or another session has replaced this session.
    let ended = OneShot<Void>()

    private let clock: any TimeSource

    init(user: TokenUser, end: ContinuousClock.Instant, clock: any TimeSource) {
        self.user = user
        self.end = end
        self.clock = clock
    }

    /// The user with this session.
    var principal: TokenUser {
        var user = user
        user.session = self
        return user
    }

    /// Returns at the end of the session, or when the task is cancelled.
    func waitForEnd() async {
        await withTaskGroup { group in
            group.addTask { try? await self.ended.wait() }
            group.addTask { try? await self.clock.sleep(until: self.end, tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
    }
}
#endif
