// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceCore
import HeadraceHummingbird
import HeadraceInspector
import HeadraceTesting
import Hummingbird
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(2))) struct TokenAccessTests {
    private static let token = "correct-horse-battery-staple"

    private struct SessionBody: Decodable, Equatable {
        let required: Bool
        let user: String?
    }

    /// A service whose routes need a user, except the routes of the session.
    private static func service(
        _ access: TokenAccess,
        middleware: [any MiddlewareProtocol<Request, Response, BasicRequestContext>] = []
    ) throws -> Client<RouterResponder<BasicRequestContext>> {
        var booking = try Booking()
        booking.configuration.principal = { request, _ in try access.user(of: request) }
        booking.router.add(middleware: RequestMiddleware(booking.configuration))
        for one in middleware { booking.router.add(middleware: one) }
        booking.router.session(access)
        booking.router.group().add(middleware: PrincipalGuardMiddleware()).messages(of: booking.container)
            .get("rows/{row}", query: SeatsLeft.self)
        return booking.router.client
    }

    private static func access(
        _ users: String = "ada:\(token),grace:another-token-of-grace",
        _ configuration: TokenAccess.Configuration = .init()
    ) throws -> TokenAccess {
        TokenAccess(try TokenUser.users(in: users), configuration)
    }

    private static func signIn(
        _ client: Client<RouterResponder<BasicRequestContext>>,
        _ token: String = token,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        try await client.send(.post, "/session", #"{"token": "\#(token)"}"#, headers: headers)
    }

    /// Returns the field `Cookie` with the cookie of a response.
    private static func cookie(of answer: Answer) throws -> HTTPFields {
        let text = try #require(answer.headers[.setCookie])
        return [.cookie: String(text.prefix { $0 != ";" })]
    }

    // MARK: Tokens

    @Test func theTokenNamesThePrincipalOfTheMessages() async throws {
        let client = try Self.service(try Self.access())

        let ada = try await client.send(.get, "/rows/1", headers: [.authorization: "Bearer \(Self.token)"])
        let grace = try await client.send(.get, "/rows/1", headers: [.authorization: "bearer another-token-of-grace"])

        #expect(try ada.decoded(as: SeatsLeft.Value.self).principal == "ada")
        #expect(try grace.decoded(as: SeatsLeft.Value.self).principal == "grace")
    }

    @Test(
        arguments: [
            nil, "", "Bearer", "Bearer ", "Bearer x", "Bearer \(token)x", "Bearer x\(token)",
            "Bearer \(token.dropLast())",
            "Bearer \(token)\(token)", "Bearer \(token.uppercased())", "Basic \(token)", token, "Bearer ada:\(token)",
            "Bearer ada", "Bearer \(token), Bearer \(token)",
        ] as [String?])
    func aMissingOrWrongTokenIsRefused(authorization: String?) async throws {
        let client = try Self.service(try Self.access())
        var headers: HTTPFields = [:]
        headers[.authorization] = authorization

        let answer = try await client.send(.get, "/rows/1", headers: headers)

        #expect(answer.status == 401)
        #expect(answer.headers[.wwwAuthenticate] == "Bearer")
        #expect(try answer.decoded(as: ProblemBody.self).code == "unauthenticated")
        #expect(!answer.text.contains(Self.token))
    }

    @Test func aServerWithoutUsersAcceptsNoToken() async throws {
        let client = try Self.service(TokenAccess([]))

        for token in ["", "x", Self.token] {
            let answer = try await client.send(.get, "/rows/1", headers: [.authorization: "Bearer \(token)"])
            #expect(answer.status == 401)
        }
    }

    @Test func aWrongTokenIsNotHealedByACookie() async throws {
        let client = try Self.service(try Self.access())
        var headers = try Self.cookie(of: try await Self.signIn(client))
        headers[.authorization] = "Bearer wrong"

        #expect(try await client.send(.get, "/rows/1", headers: headers).status == 401)
    }

    // MARK: Sessions

    @Test func aBrowserSignsInWithATokenAndOutAgain() async throws {
        let client = try Self.service(try Self.access())
        #expect(
            try await client.send(.get, "/session").decoded(as: SessionBody.self)
                == SessionBody(required: true, user: nil))

        let answer = try await Self.signIn(client)
        let cookie = try Self.cookie(of: answer)

        #expect(answer.status == 204)
        let text = try #require(answer.headers[.setCookie])
        for attribute in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=2592000"] {
            #expect(text.contains(attribute), "\(text)")
        }
        #expect(!text.contains("Secure"))
        #expect(!text.contains(Self.token))
        #expect(
            try await client.send(.get, "/session", headers: cookie).decoded(as: SessionBody.self)
                == SessionBody(required: true, user: "ada"))
        #expect(
            try await client.send(.get, "/rows/1", headers: cookie).decoded(as: SeatsLeft.Value.self).principal == "ada"
        )

        let out = try await client.send(.delete, "/session", headers: cookie)
        #expect(out.status == 204)
        #expect(out.headers[.setCookie]?.contains("Max-Age=0") == true)
        #expect(try await client.send(.get, "/rows/1", headers: cookie).status == 401)
    }

    @Test func theCookieIsForHTTPSIfThePageWasLoadedByHTTPS() async throws {
        let client = try Self.service(try Self.access())

        let answer = try await Self.signIn(client, headers: [.origin: "https://books.example"])

        #expect(answer.headers[.setCookie]?.contains("; Secure") == true)
    }

    @Test func aWrongSignInIsRefused() async throws {
        let client = try Self.service(try Self.access())

        let wrong = try await Self.signIn(client, "wrong")
        #expect(wrong.status == 401 && wrong.headers[.wwwAuthenticate] == "Bearer")
        #expect(try await Self.signIn(client, "").status == 401)
        #expect(try await client.send(.post, "/session", "{}").status == 400)
        #expect(try await client.send(.post, "/session", String(repeating: "x", count: 5_000)).status == 413)
        // A form of another site has one of these types.
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let answer = try await Self.signIn(client, headers: [.contentType: type])
            #expect(answer.status == 415)
            #expect(answer.headers[.setCookie] == nil)
        }
    }

    @Test func theCookieOfAnotherServerIsRefused() async throws {
        let client = try Self.service(try Self.access())
        let other = try Self.service(try Self.access())
        let foreign = try Self.cookie(of: try await Self.signIn(other))

        #expect(try await other.send(.get, "/rows/1", headers: foreign).status == 200)
        #expect(try await client.send(.get, "/rows/1", headers: foreign).status == 401)
        for forged in ["", "=", "0", Self.token, "ada", String(repeating: "0", count: 32)] {
            let answer = try await client.send(
                .get, "/rows/1", headers: [.cookie: "headrace-session=\(forged)"])
            #expect(answer.status == 401, "\(forged)")
        }
    }

    @Test func aSessionEndsAfterItsTime() async throws {
        let clock = TestClock()
        var configuration = TokenAccess.Configuration()
        configuration.clock = clock
        configuration.sessionTime = .seconds(60)
        let client = try Self.service(try Self.access("ada:\(Self.token)", configuration))
        let cookie = try Self.cookie(of: try await Self.signIn(client))

        clock.advance(by: .seconds(59))
        #expect(try await client.send(.get, "/rows/1", headers: cookie).status == 200)
        clock.advance(by: .seconds(1))
        #expect(try await client.send(.get, "/rows/1", headers: cookie).status == 401)
    }

    @Test func aSessionAboveTheLimitEndsTheOldest() async throws {
        let clock = TestClock()
        var configuration = TokenAccess.Configuration()
        configuration.clock = clock
        configuration.sessionCount = 2
        let client = try Self.service(try Self.access("ada:\(Self.token)", configuration))
        var cookies: [HTTPFields] = []
        for _ in 1...3 {
            cookies.append(try Self.cookie(of: try await Self.signIn(client)))
            clock.advance(by: .seconds(1))
        }

        var statuses: [Int] = []
        for cookie in cookies { statuses.append(try await client.send(.get, "/rows/1", headers: cookie).status) }

        #expect(statuses == [401, 200, 200])
    }

    @Test func theSignInsOfOneUserEndNoSessionOfAnother() async throws {
        var configuration = TokenAccess.Configuration()
        configuration.sessionCount = 2
        let client = try Self.service(
            try Self.access("ada:\(Self.token),grace:another-token-of-grace", configuration))
        let grace = try Self.cookie(of: try await Self.signIn(client, "another-token-of-grace"))

        for _ in 1...5 { _ = try await Self.signIn(client) }

        #expect(try await client.send(.get, "/rows/1", headers: grace).status == 200)
    }

    @Test func aSignInReplacesTheSessionOfTheSameBrowser() async throws {
        let client = try Self.service(try Self.access())
        let first = try Self.cookie(of: try await Self.signIn(client))

        let second = try Self.cookie(of: try await Self.signIn(client, "another-token-of-grace", headers: first))

        #expect(try await client.send(.get, "/rows/1", headers: first).status == 401)
        #expect(try await client.send(.get, "/rows/1", headers: second).status == 200)
    }

    @Test func wrongTokensAreLoggedAndThrottledWhileRightTokensAreAccepted() async throws {
        let clock = TestClock()
        var configuration = TokenAccess.Configuration()
        configuration.clock = clock
        configuration.wrongTokenCount = 3
        let handler = InMemoryLogHandler()
        let client = try Self.service(try Self.access("ada:\(Self.token)", configuration))

        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            for _ in 1...2 {
                var statuses: [Int] = []
                for _ in 1...2 {
                    statuses.append(try await Self.signIn(client, "wrong").status)
                    let wrong: HTTPFields = [.authorization: "Bearer wrong"]
                    statuses.append(try await client.send(.get, "/rows/1", headers: wrong).status)
                }
                #expect(statuses == [401, 401, 401, 429])
                #expect(try await Self.signIn(client).status == 204)
                clock.advance(by: .seconds(60))
            }
        }

        #expect(handler.entries.count == 6)
        #expect(handler.entries.allSatisfy { !"\($0)".contains("Bearer") })
    }

    enum SessionEnd: CaseIterable { case signOut, otherSignIn, time }

    @Test(arguments: SessionEnd.allCases)
    func anEventStreamEndsWithItsSession(end: SessionEnd) async throws {
        let clock = TestClock()
        var configuration = TokenAccess.Configuration()
        configuration.clock = clock
        configuration.sessionTime = .seconds(60)
        let access = try Self.access("ada:\(Self.token)", configuration)
        let router = Router()
        var requests = RequestMiddleware<BasicRequestContext>.Configuration()
        requests.principal = { request, _ in try access.user(of: request) }
        router.add(middleware: RequestMiddleware(requests))
        router.session(access)
        let (events, event) = AsyncStream<ServerSentEvent>.makeStream()
        router.group().add(middleware: PrincipalGuardMiddleware()).get("events") { request, _ in
            Response.events(events, to: request)
        }
        let client = router.client
        let cookie = try Self.cookie(of: try await Self.signIn(client))
        let field = try #require(cookie[.cookie])

        try await LiveServer.with(router) { port in
            try await Connection.with(port: port) { reading, writing in
                try await writing.send("GET /events HTTP/1.1\r\nHost: localhost\r\nCookie: \(field)\r\n\r\n")
                event.yield(try ServerSentEvent("first", json: 1))
                #expect(try await reading.text(upTo: "first") != nil)
                switch end {
                case .signOut: _ = try await client.send(.delete, "/session", headers: cookie)
                case .otherSignIn: _ = try await Self.signIn(client, headers: cookie)
                case .time:
                    await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(60))
                }
                // The last chunk of the response.
                #expect(try await reading.text(upTo: "\r\n0\r\n\r\n") != nil)
            }
        }
    }

    @Test func aCookieDoesNotHelpAForeignPageOrAForeignName() async throws {
        let client = try Self.service(
            try Self.access(), middleware: [HostGuardMiddleware<BasicRequestContext>(hosts: ["books.example"])])
        var headers = try Self.cookie(of: try await Self.signIn(client))

        // DNS rebinding.
        #expect(try await client.send(.get, "/rows/1", headers: headers, authority: "evil.example").status == 403)
        headers[.origin] = "http://evil.example"
        #expect(try await client.send(.get, "/rows/1", headers: headers).status == 403)
        #expect(try await Self.signIn(client, headers: [.origin: "http://evil.example"]).status == 403)
    }

    // MARK: Users

    @Test func usersAreReadFromLinesAndLists() throws {
        let text = """
            # the accountants
            ada:token-of-ada-0001-of-this-test, grace:token:of:grace:01:of:this:test

              ada:token-of-ada-0002-of-this-test\r\n,
            """

        let users = try TokenUser.users(in: text)

        #expect(users.map(\.principalID) == ["ada", "grace", "ada"])
        #expect(try TokenUser.users(in: " \n,\n# x:y\n").isEmpty)
    }

    @Test(
        arguments: [
            ("ada", .invalidEntry), ("ada:short", .invalidToken), (":token-of-nobody-1-of-this-test", .invalidName),
            ("a b:token-of-ada-0001-of-this-test", .invalidName), ("ada:token of ada 0001", .invalidToken),
            ("ada:token-of-ädä-0001", .invalidToken),
            ("a:token-of-ada-0001-of-this-test\nb:token-of-ada-0001-of-this-test", .duplicateToken),
            ("\(String(repeating: "a", count: 65)):token-of-ada-0001-of-this-test", .invalidName),
            ("ada:0123456789abcdef", .invalidToken), ("ada:token-of-ada-00001", .invalidToken),
            ("ada:\(String(repeating: "ab", count: 32))", .invalidToken),
            ("ada:\(String(repeating: "k9", count: 257))", .invalidToken),
        ] as [(String, TokenUserError.Code)])
    func aMalformedUserIsRefusedWithoutTheToken(text: String, code: TokenUserError.Code) throws {
        let error = try #require(throws: TokenUserError.self) { try TokenUser.users(in: text) }

        #expect(error.code == code)
        #expect(error.message.contains("To fix, "))
        #expect(!error.message.contains("token-of"))
        #expect(!error.message.contains("short."))
    }

    @Test func noDescriptionOfAUserHasTheToken() throws {
        let user = try TokenUser("ada", token: Self.token)
        var dumped = ""
        dump(user, to: &dumped)

        for text in ["\(user)", String(reflecting: user), dumped, "\([user])"] {
            #expect(text.contains("ada"))
            #expect(!text.contains(Self.token), "\(text)")
        }
        #expect(TokenUser.makeToken() != TokenUser.makeToken())
        #expect(TokenUser.makeToken().count == 32)
    }
}
#endif
