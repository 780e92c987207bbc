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

/// A user of a server with a secret token.
///
/// ```swift
/// let users = try TokenUser.users(in: String(contentsOfFile: "tokens", encoding: .utf8))
/// ```
///
/// A description of a user never contains the token.
public struct TokenUser: Principal {
    private static var fewestBits: Double { 128 }
    private static var longestToken: Int { 512 }
    private static var longestName: Int { 64 }

    /// The name, which is the ID of the principal.
    public let name: String

    let token: AccessToken

    /// The session of the browser; `nil` for a request with a token.
    var session: TokenSession?

    /// The ``name``.
    public var principalID: String { name }

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters and digits of ASCII, and `.`, `_`, `-`, `@`.
    ///   - token: At most 512 visible characters of ASCII, without commas. A token needs 128 random bits, for example
    ///     32 hexadecimal digits or 22 letters and digits. Use ``makeToken()``.
    /// - Throws: ``TokenUserError`` if the name or the token has another form.
    public init(_ name: String, token: String) throws {
        let isName = name.utf8.allSatisfy { Self.isLetterOrDigit($0) || ".-_@".utf8.contains($0) }
        guard isName, (1...Self.longestName).contains(name.utf8.count) else { throw TokenUserError.name }
        let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
        guard isPlain, token.utf8.count <= Self.longestToken else {
            throw TokenUserError.token(of: name, isPlain ? token.utf8.count : nil)
        }
        if Self.mostBits(of: token) < Self.fewestBits { throw TokenUserError.guessableToken(of: name) }
        self.name = name
        self.token = AccessToken(token)
    }

    /// Returns a new token of 128 random bits.
    public static func makeToken() -> String { AccessToken().text }

    /// Reads users from a text such as the content of a file.
    ///
    /// Each entry is `name:token`. Entries are separated by line breaks or commas. Empty entries and lines that begin with `#` are
    /// ignored. A user may have several tokens, so that a token can be replaced without an interruption.
    ///
    /// - Parameter text: The entries.
    /// - Returns: The users in the order of the entries.
    /// - Throws: ``TokenUserError`` if an entry is malformed, or if a token occurs twice.
    public static func users(in text: String) throws -> [TokenUser] {
        var users: [TokenUser] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            for entry in line.split(separator: ",") {
                let entry = entry.trimmingPrefix(while: \.isWhitespace)
                guard let end = entry.lastIndex(where: { !$0.isWhitespace }) else { continue }
                let parts = entry[...end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw TokenUserError.entry(users.count + 1) }
                let user = try TokenUser(String(parts[0]), token: String(parts[1]))
                if users.contains(where: { $0.token.matches(user.token.text) }) {
                    throw TokenUserError.duplicate(of: user.name)
                }
                users.append(user)
            }
        }
        return users
    }

    /// Returns the number of random bits that a token of this form has at most.
    private static func mostBits(of token: String) -> Double {
        let bytes = token.utf8
        // Random tokens of sufficient length have more different characters.
        if Set(bytes).count < 8 { return 0 }
        let isDecimal = bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isHexadecimal = bytes.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        let isAlphanumeric = bytes.allSatisfy { isLetterOrDigit($0) || "-_+/=".utf8.contains($0) }
        return Double(bytes.count) * (isDecimal ? 3.3 : isHexadecimal ? 4 : isAlphanumeric ? 5.9 : 6.5)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension TokenUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ``name``.
    public var description: String { name }

    /// The ``name``.
    public var debugDescription: String { name }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// An error that is thrown if the name or the token of a ``TokenUser`` is malformed.
///
/// Its message contains no token.
public struct TokenUserError: CodedError {
    /// The reason, stable enough to branch on.
    public typealias Code = ErrorCode<TokenUserError>

    /// The reason.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    static func entry(_ number: Int) -> TokenUserError {
        TokenUserError(
            code: .invalidEntry,
            message: "Entry \(number) of the users has no ':'. To fix, write each user as 'name:token'."
        )
    }

    static let name = TokenUserError(
        code: .invalidName,
        message: """
            The name of a user is malformed. To fix, use 1 to 64 of the characters a-z, A-Z, 0-9, '.', '_', '-', and '@'.
            """
    )

    /// `length` is `nil` if the token has invalid characters.
    static func token(of name: String, _ length: Int?) -> TokenUserError {
        let reason = length.map { "has \($0) characters" } ?? "has a space, a comma, or a character that isn't ASCII"
        return TokenUserError(
            code: .invalidToken,
            message: "The token of '\(name)' \(reason). To fix, use at most 512 visible characters."
        )
    }

    static func guessableToken(of name: String) -> TokenUserError {
        TokenUserError(
            code: .invalidToken,
            message: """
                The token of '\(name)' can be guessed: it has less than 128 random bits. To fix, use a random token of 32 \
                hexadecimal digits, such as 'openssl rand -hex 16' prints, or of 22 letters and digits.
                """
        )
    }

    static func duplicate(of name: String) -> TokenUserError {
        TokenUserError(
            code: .duplicateToken,
            message: "The token of '\(name)' occurs twice. To fix, give each user another token."
        )
    }
}

extension ErrorCode<TokenUserError> {
    /// An entry isn't `name:token`.
    public static var invalidEntry: Self { Self() }

    /// A name is too long, or has other characters than those that are allowed.
    public static var invalidName: Self { Self() }

    /// A token is too long, can be guessed, or has other characters than those that are allowed.
    public static var invalidToken: Self { Self() }

    /// Two entries have the same token.
    public static var duplicateToken: Self { Self() }
}
#endif
