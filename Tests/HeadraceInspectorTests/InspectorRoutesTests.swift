// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector
import HeadraceTesting
import Testing

/// Access, limits, and refusals of the routes, without a socket.
@Suite(.timeLimit(.minutes(2))) struct InspectorRoutesTests {
    private let inspector = Inspector(clock: TestClock())
    private let routes: InspectorRoutes
    private let client: Client

    init() {
        routes = InspectorRoutes(inspector)
        client = Client(routes)
    }

    /// The names of the scripts of the page.
    private static func scripts() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = root.deletingLastPathComponent().appending(path: "Sources/HeadraceInspector/Page")
        return try FileManager.default.contentsOfDirectory(atPath: page.path).filter { $0.hasSuffix(".js") }
    }

    private func status(_ method: String, _ target: String, _ headers: [(name: String, value: String)]) async -> Int {
        await routes.respond(to: InspectorRequest(method: method, target: target, headers: headers)).status
    }

    // MARK: The token

    @Test func theTokenIsExchangedForACookieThatGrantsAccess() async throws {
        let host = (name: "Host", value: "127.0.0.1:8080")
        let signIn = ClientResponse(
            await routes.respond(to: InspectorRequest(method: "GET", target: routes.signInPath, headers: [host]))
        )

        #expect(signIn.status == 303)
        #expect(signIn.headers["Location"] == "/")
        let cookie = try #require(signIn.headers["Set-Cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"))
        #expect(cookie.contains(routes.bearerToken) == false)
        let pair = try #require(cookie.split(separator: ";").first)
        for target in ["/", "/inspector.js", "/api/overview"] {
            #expect(await status("GET", target, [host, ("Cookie", "other=1; \(pair)")]) == 200)
        }
    }

    @Test(arguments: [
        "/", "/inspector.css", "/inspector.js", "/api/overview", "/api/messages", "/api/events", "/api/nothing",
    ])
    func requestsWithoutTheTokenAreRefused(target: String) async {
        let host = (name: "Host", value: "127.0.0.1:8080")
        let token = routes.bearerToken

        let wrong: [[(name: String, value: String)]] = [
            [], [("Authorization", "Bearer ")], [("Authorization", "Bearer \(token.dropLast())")],
            [("Authorization", "Bearer \(token)0")], [("Authorization", "Basic \(token)")], [("Authorization", token)],
            [("Authorization", "Bearer \(token.uppercased())x")], [("Cookie", "headrace-inspector=\(token)")],
            [("Cookie", token)], [("Cookie", ";;=;==")],
            [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer wrong")],
        ]
        for headers in wrong { #expect(await status("GET", target, [host] + headers) == 401, "\(headers)") }
    }

    @Test func aWrongTokenInTheAddressIsRefusedWithoutACookie() async {
        for given in ["", "0", String(routes.bearerToken.dropFirst()), routes.bearerToken + "0", "%00", "%F0%9F%92%A7"]
        {
            let response = ClientResponse(
                await routes.respond(
                    to: InspectorRequest(method: "GET", target: "/?token=\(given)", headers: [("Host", "localhost")])
                )
            )
            #expect(response.status == 401)
            #expect(response.headers["Set-Cookie"] == nil)
        }
    }

    @Test func eachInspectorHasItsOwnTokenOf128Bits() async throws {
        let tokens = (0..<100).map { _ in InspectorRoutes(inspector).bearerToken }

        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    // MARK: Host and origin

    @Test(arguments: [
        "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example:80", "",
        "127.0.0.1:port",
        "127.0.0.1:8080:1", "127.0.0.1@evil.example", "[::1]:8080", "0.0.0.0:8080", "127.0.0.1:", "2130706433",
    ])
    func aForeignHostIsRefused(host: String) async {
        let token = (name: "Authorization", value: "Bearer \(routes.bearerToken)")
        #expect(await status("GET", "/api/overview", [("Host", host), token]) == 421)
        #expect(await status("GET", routes.signInPath, [("Host", host)]) == 421)
    }

    @Test func aRequestWithoutAHostOrWithTwoHostsIsRefused() async {
        let token = (name: "Authorization", value: "Bearer \(routes.bearerToken)")
        #expect(await status("GET", "/", [token]) == 421)
        #expect(await status("GET", "/", [("Host", "localhost"), ("Host", "localhost"), token]) == 421)
    }

    @Test(arguments: ["127.0.0.1:8080", "127.0.0.1", "localhost:1", "LOCALHOST:65535"])
    func theNamesOfThisMachineAreAccepted(host: String) async {
        let token = (name: "authorization", value: "bearer \(routes.bearerToken)")
        #expect(await status("GET", "/api/overview", [("HOST", host), token]) == 200)
    }

    @Test(arguments: ["[::1]", "[::1]:8080", "inspector.example:80"])
    func otherNamesAreAcceptedIfTheLimitsHaveThem(host: String) async {
        var limits = InspectorRoutes.Limits()
        limits.hosts = ["[::1]", "inspector.example"]
        let routes = InspectorRoutes(inspector, limits: limits)
        let token = (name: "Authorization", value: "Bearer \(routes.bearerToken)")
        func status(_ host: String) async -> Int {
            await routes.respond(
                to: InspectorRequest(method: "GET", target: "/api/overview", headers: [("Host", host), token])
            ).status
        }

        #expect(await status(host) == 200)
        for foreign in ["[::2]", "[::1", "[::1]x", "[::1]:", "localhost"] { #expect(await status(foreign) == 421) }
    }

    @Test(arguments: ["http://evil.example", "null", "http://127.0.0.1:9090", "https://localhost:8080", ""])
    func aPageOfAnotherOriginIsRefused(origin: String) async {
        #expect(await status("GET", "/api/overview", client.headers + [("Origin", origin)]) == 403)
        #expect(await status("POST", "/api/dead-letters/replay", client.headers + [("Origin", origin)]) == 403)
    }

    @Test func theOriginOfThePageIsAccepted() async {
        #expect(await status("GET", "/api/overview", client.headers + [("Origin", "http://127.0.0.1:8080")]) == 200)
    }

    // MARK: Limits

    @Test func eachExceededLimitHasItsOwnStatus() async {
        let long = String(repeating: "x", count: 100_000)
        #expect(await status("GET", "/" + long, client.headers) == 414)
        #expect(await status("GET", "/?search=" + long, client.headers) == 414)
        #expect(await status("GET", "/", client.headers + [("X-Long", long)]) == 431)
        #expect(await status("GET", "/", client.headers + Array(repeating: ("X", "y"), count: 100)) == 431)
        #expect(await client.get("/api/messages?search=" + long.prefix(201)).status == 400)
        #expect(await client.get("/api/messages?search=" + long.prefix(200)).status == 200)
        let body = Data(repeating: 0x20, count: (1 << 20) + 1)
        let request = InspectorRequest(method: "POST", target: "/", headers: client.headers, body: body)
        #expect(await routes.respond(to: request).status == 413)
    }

    @Test func theNumberOfOpenStreamsIsLimited() async throws {
        var streams: [InspectorEventStream] = []
        for _ in 0..<8 { streams.append(try #require(await client.get("/api/events").stream)) }

        let refused = await client.get("/api/events")
        #expect(refused.status == 429)
        #expect(refused.headers["Retry-After"] != nil)

        streams.removeLast()
        #expect(await client.get("/api/events").status == 200)
    }

    // MARK: Malformed requests

    @Test(arguments: [
        "", "*", "x", "//", "/..", "/../etc/passwd", "/%2e%2e/x", "/a//b", "/%", "/%zz", "/%ff", "/%00", "/a%2fb",
        "/a%5cb",
        #"/a\b"#, "/.", "http://127.0.0.1/", "/a/", "/\u{1}",
    ])
    func aMalformedPathIsRefused(target: String) async {
        #expect(await status("GET", target, client.headers) == 400)
    }

    @Test(arguments: [
        "/nothing", "/api", "/api/nothing", "/index.html", "/api/messages/1", "/Inspector.js", "/api/log?store=none",
        "/api/dead-letters/replay",
    ])
    func anUnknownPathIsNotFound(target: String) async {
        #expect(await status("GET", target, client.headers) == 404)
    }

    @Test(arguments: [
        "after=-1", "after=x", "after=99999999999999999999", "limit=0", "limit=501", "limit=", "limit=1e3",
    ])
    func aNumberOutOfRangeIsRefused(query: String) async {
        #expect(await client.get("/api/messages?\(query)").status == 400)
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"])
    func otherMethodsAreRefused(method: String) async {
        #expect(await status(method, "/api/overview", client.headers) == 405)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomRequestsAreRefused(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "/", "?", "&", "=", "%", "..", "api", "events", "token", "\u{0}", "é", " ", ";", routes.bearerToken, "%2F",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
        let hasHost = Bool.random(using: &generator)
        let headers =
            (hasHost ? [(name: "Host", value: "localhost")] : [])
            + (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                (
                    name: ["Authorization", "Cookie", "Accept", text()].randomElement(using: &generator) ?? "",
                    value: text()
                )
            }
        let methods = ["GET", "POST", "", "get"]
        let request = InspectorRequest(
            method: methods.randomElement(using: &generator) ?? "",
            target: text(),
            headers: headers,
            body: Data(text().utf8)
        )

        let status = await routes.respond(to: request).status

        #expect((400..<500).contains(status), "seed \(seed)")
    }

    // MARK: The page

    @Test func everyResponseHasTheSecurityHeaders() async throws {
        for response in [await client.get("/"), await client.get("/api/nothing"), await client.get("/api/events")] {
            let policy = try #require(response.headers["Content-Security-Policy"])
            #expect(policy.contains("default-src 'self'"))
            #expect(policy.contains("unsafe") == false)
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["Referrer-Policy"] == "no-referrer")
        }
    }

    @Test func thePageHasNoForeignContentAndNoInlineScript() async throws {
        let page = await client.get("/").text
        #expect(page.contains("<script type=\"module\" src=\"inspector.js\"></script>"))
        for path in ["/", "/inspector.css", "/icon.svg"] + (try Self.scripts()).map({ "/\($0)" }) {
            let response = await client.get(path)
            #expect(response.status == 200)
            let text = response.text.replacing("http://www.w3.org/2000/svg", with: "")
            for forbidden in [
                "http://", "https://", "innerHTML", "insertAdjacentHTML", "eval(", " style=", " onclick=\"",
            ] {
                #expect(text.contains(forbidden) == false, "\(forbidden) in \(path)")
            }
        }
    }

    @Test func theScriptsImportEachOtherInNoCircle() async throws {
        var imports: [String: [String]] = [:]
        let scripts = Set(try Self.scripts())
        for script in scripts {
            let text = await client.get("/\(script)").text
            imports[script] = text.matches(of: #/import .* from "\./(.*)";/#).map { String($0.1) }
        }
        #expect(Set(imports.values.joined()).union(["inspector.js"]) == scripts)

        // A script whose imports are all known to be free of circles is free of circles itself.
        var free: Set<String> = []
        while let next = imports.first(where: { !free.contains($0.key) && free.isSuperset(of: $0.value) }) {
            free.insert(next.key)
        }
        #expect(free == scripts)
    }

    @Test func allRoutesAreBelowTheBasePath() async throws {
        let routes = InspectorRoutes(inspector, basePath: "/inspector")
        let client = Client(routes)

        #expect(await client.get("/inspector").headers["Location"] == "/inspector/")
        #expect(await client.get("/inspector/").status == 200)
        #expect(await client.get("/inspector/api/overview").status == 200)
        #expect(await client.get("/api/overview").status == 400)
        #expect(await client.get("/inspectorapi/overview").status == 400)
        #expect(routes.signInPath.hasPrefix("/inspector/?token="))
        let signIn = await client.get(routes.signInPath)
        #expect(signIn.headers["Set-Cookie"]?.contains("Path=/inspector/;") == true)
    }
}
