// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import LedgerApplication
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    /// A server with users.
    @Suite(.timeLimit(.minutes(2))) struct AccessTests {
        private static let token = "token-of-ada-0001-of-tests"
        private static let bearer = "Authorization: Bearer \(token)"

        private static func withUsers(
            _ body: @Sendable @escaping (TestServer) async throws -> Void
        ) async throws {
            let folder = try TestFolder()
            let users = [
                try TokenUser("ada", token: token), try TokenUser("grace", token: "token-of-grace-1-of-tests"),
            ]
            try await TestServer.with(in: folder) {
                $0.users = users
            } _: {
                try await body($0)
            }
        }

        @Test(
            arguments: [
                "0.0.0.0", "::", "192.168.1.5", "128.0.0.1", "books.example", "127.1", "127.0.0.1.example",
                "127.0.0.256",
                "::ffff:127.0.0.1", "",
            ])
        func anAddressThatOtherMachinesReachNeedsUsers(host: String) async throws {
            let folder = try TestFolder()
            var configuration = LedgerServerConfiguration(database: folder.location)
            configuration.host = host

            let error = try await #require(throws: OpenAddressError.self) { try await LedgerServer(configuration) }

            #expect(error.message.contains("'\(host)'"))
            #expect(error.message.contains("--token-file"))
            if let path = folder.location.path { #expect(!FileManager.default.fileExists(atPath: path)) }
        }

        @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LocalHost"])
        func aLocalAddressNeedsNoUsers(host: String) async throws {
            let folder = try TestFolder()
            var configuration = LedgerServerConfiguration(database: folder.location)
            configuration.host = host

            let server = try await LedgerServer(configuration)

            try server.store.close()
        }

        @Test func anyAddressIsServedToUsers() async throws {
            let folder = try TestFolder()
            var configuration = LedgerServerConfiguration(database: folder.location)
            configuration.host = "0.0.0.0"
            configuration.users = [try TokenUser("ada", token: Self.token)]

            let server = try await LedgerServer(configuration)

            try server.store.close()
        }

        @Test func eachRouteButThePageTheSessionAndTheHealthNeedsAUser() async throws {
            try await Self.withUsers { server in
                let page = Set(PageFile.all.map { "GET \($0.path)" })
                let open: Set = [
                    "GET /api/session", "POST /api/session", "DELETE /api/session", "GET /health/live",
                    "GET /health/ready",
                ]
                var guarded = 0
                for route in server.server.routeNames where !page.contains(route) {
                    let parts = route.split(separator: " ")
                    let path = String(parts[1]).replacing("{id}", with: UUID().uuidString)
                    let answer = try await server.send(String(parts[0]), path)
                    if open.contains(route) {
                        #expect(answer.status != 401 || route == "POST /api/session", "\(route)")
                    } else {
                        #expect(answer.status == 401, "\(route): \(answer.status)")
                        #expect(answer.headers["www-authenticate"] == "Bearer", "\(route)")
                        guarded += 1
                    }
                }
                #expect(guarded >= 17)
                for file in page { #expect(try await server.get(String(file.dropFirst(4))).status == 200, "\(file)") }
            }
        }

        @Test func anImportAndAStreamNeedAUser() async throws {
            try await Self.withUsers { server in
                let journal = "2026-01-01 x\n    a  1 EUR\n    b\n"
                #expect(try await server.upload(journal).status == 401)
                let wrong = try await server.send("GET", "/api/events", headers: ["Authorization: Bearer wrong"])
                #expect(wrong.status == 401)

                let accepted = try await server.send(
                    "POST", "/api/imports?name=a.journal", headers: [Self.bearer, "Content-Type: text/plain"],
                    body: Array(journal.utf8))
                #expect(accepted.status == 202)
                try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        "GET /api/events HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\(Self.bearer)\r\n\r\n")
                    let head = try #require(try await reading.text(upTo: "\r\n\r\n"))
                    #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
                }
            }
        }

        @Test func theStoredEventNamesTheUserWhoPosted() async throws {
            try await Self.withUsers { server in
                for bearer in [Self.bearer, "Authorization: Bearer token-of-grace-1-of-tests"] {
                    let answer = try await server.post(
                        "/api/transactions",
                        json: """
                            {"date":"2026-01-02","postings":[{"account":"a","amount":"1 EUR"},{"account":"b"}]}
                            """,
                        headers: [bearer])
                    #expect(answer.status == 201)
                }

                let records = try await server.server.store.base.events(after: 0, limit: 100)
                let posted = records.map(\.event).filter { $0.name == TransactionPosted.eventName }

                #expect(posted.map(\.origin.principalID) == ["ada", "grace"])
            }
        }

        @Test func aKeyOfOneUserDoesNotShowTheOutcomeToAnother() async throws {
            try await Self.withUsers { server in
                let json = #"{"date":"2026-01-02","postings":[{"account":"a","amount":"1 EUR"},{"account":"b"}]}"#
                let ada = try await server.post(
                    "/api/transactions", json: json, headers: [Self.bearer, "Idempotency-Key: k"])
                let again = try await server.post(
                    "/api/transactions", json: json, headers: [Self.bearer, "Idempotency-Key: k"])
                let grace = try await server.post(
                    "/api/transactions", json: json,
                    headers: ["Authorization: Bearer token-of-grace-1-of-tests", "Idempotency-Key: k"])

                #expect(try ada.json(PostedResponse.self) == again.json(PostedResponse.self))
                #expect(try grace.json(PostedResponse.self) != ada.json(PostedResponse.self))
            }
        }

        @Test func aBrowserSignsInWithACookieThatOtherSitesCannotUse() async throws {
            try await Self.withUsers { server in
                let answer = try await server.post("/api/session", json: #"{"token":"\#(Self.token)"}"#)
                #expect(answer.status == 204)
                let cookie = "Cookie: \(try #require(answer.headers["set-cookie"]).prefix { $0 != ";" })"

                #expect(try await server.send("GET", "/api/balances", headers: [cookie]).status == 200)
                let foreign = [cookie, "Origin: http://evil.example"]
                #expect(try await server.send("GET", "/api/balances", headers: foreign).status == 403)
                let rebound = [cookie, "Host: evil.example"]
                #expect(try await server.send("GET", "/api/balances", headers: rebound).status == 403)
                #expect(try await server.send("DELETE", "/api/session", headers: [cookie]).status == 204)
                #expect(try await server.send("GET", "/api/balances", headers: [cookie]).status == 401)
            }
        }

        /// A browser sends a cookie to all ports of a host.
        @Test func serversOnFreePortsHaveDifferentCookies() {
            var configuration = LedgerServerConfiguration(database: LedgerDatabase("x"))
            configuration.port = 0
            let other = configuration
            #expect(configuration.sessions.cookieName != other.sessions.cookieName)

            configuration.port = 8_081
            #expect(configuration.sessions.cookieName == "ledger-session-8081")
        }

        @Test func theHealthThatIsOpenSaysNothingSecret() async throws {
            try await Self.withUsers { server in
                #expect(try await server.get("/health/live").text == #"{"checks":[],"status":"ok"}"#)
                let ready = try await server.get("/health/ready")
                #expect(ready.status == 200)
                for word in ["transactions", "pending", "dead", "ada"] { #expect(!ready.text.contains(word)) }
            }
        }
    }
}
#endif
