// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Testing

@testable import LedgerServer

/// A transaction that the server accepts.
private let good = """
    {"date":"2026-01-02","description":"Good",
    "postings":[{"account":"assets:bank","amount":"10.00 EUR"},{"account":"equity","amount":null}]}
    """

/// Returns the bytes of `text` with `bytes` in the place of the mark `$`.
private func spoiled(_ text: String, by bytes: [UInt8]) -> [UInt8] {
    text.split(separator: "$").map { Array($0.utf8) }.reduce(into: []) { $0 += $0.isEmpty ? $1 : bytes + $1 }
}

extension LedgerServerTests {
    /// Requests that a client of the API doesn't send by mistake.
    @Suite(.timeLimit(.minutes(2))) struct HostileRequestTests {
        private static let described = #"{"date":"2026-01-02","description":"$","postings":[]}"#

        private static let bodies: [[UInt8]] = [
            Array("null".utf8), Array("42".utf8), Array(#""text""#.utf8), Array("{}".utf8),
            spoiled(described, by: [0xFF, 0xFE]), spoiled(described, by: [0xC3]),
            spoiled(described, by: [0xED, 0xA0, 0x80]),
            Array(#"{"date":"2026-01-02","description":"x","postings":{}}"#.utf8),
            Array(#"{"date":"2026-01-02","description":"x","postings":[{"account":7,"amount":null}]}"#.utf8),
            Array(repeating: UInt8(ascii: "["), count: 100_000),
            Array(repeatElement(#"{"a":"#, count: 50_000).joined().utf8) + Array("1".utf8)
                + Array(repeating: UInt8(ascii: "}"), count: 50_000),
            Array((good + "trailing").utf8),
            [0xFF, 0xFE] + good.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            Array(repeating: 0, count: 1_000),
        ]

        @Test func aBodyThatIsNoTransactionIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for body in Self.bodies {
                    let answer = try await server.send(
                        "POST", "/api/transactions", headers: ["Content-Type: application/json"], body: body)

                    let start = String(decoding: body.prefix(60), as: UTF8.self)
                    #expect(answer.status == 400, "\(start): \(answer.text)")
                    #expect(try answer.json(ProblemBody.self).code == "malformed", "\(start)")
                }
                #expect(try await server.balances() == [])
                #expect(try await server.post("/api/transactions", json: good).status == 201)
            }
        }

        @Test(arguments: ["yesterday", "-2026-01-01", "2026-02-30"])
        func aDateOfAnotherFormIsRefused(date: String) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await server.post(
                    "/api/transactions", json: good.replacing("2026-01-02", with: date))

                #expect(answer.status == 422)
                #expect(try answer.json(ProblemBody.self).code == "invalidDate")
            }
        }

        @Test func anAmountThatIsNoNumberOfTheLedgerIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for amount in [String(repeating: "9", count: 400) + " EUR", "1e9 EUR", "NaN"] {
                    let answer = try await server.post(
                        "/api/transactions", json: good.replacing("10.00 EUR", with: amount))

                    #expect(answer.status == 422, "\(amount.prefix(20)): \(answer.text)")
                }
                #expect(try await server.balances() == [])
            }
        }

        @Test(
            arguments: [
                ("POST /api/nothing", "localhost", "application/json", "404"),
                ("POST /api/transactions", "evil.example", "application/json", "403"),
                ("POST /api/transactions", "localhost", "text/plain", "415"),
                ("DELETE /api/transactions", "localhost", "application/json", "405"),
                ("POST /api/transactions?x=1", "localhost", "application/json", "400"),
                ("POST /inspector/api/dead-letters/replay", "localhost", "application/json", "404"),
                ("GET /api/accounts", "localhost", "application/json", "200"),
            ])
        func aClientThatDripsAfterItsAnswerIsCutOff(
            route: String, host: String, type: String, status: String
        ) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        "\(route) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nContent-Length: 999999\r\n\r\n")
                    #expect(try await reading.text(upTo: "\r\n")?.contains(" \(status) ") == true)
                    let dripping = Task {
                        while !Task.isCancelled { try await writing.send("x") }
                    }
                    _ = try await reading.all()
                    dripping.cancel()
                }
            }
        }

        @Test func aQueryIsRefusedAtTheEndOfItsTime() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder, configure: { $0.limits.requestTimeout = .nanoseconds(1) }) { server in
                let answer = try await server.get("/api/transactions?text=x")
                #expect(answer.status == 504)
            }
        }

        @Test(arguments: ["Content-Length: 999999\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n20\r\n"])
        func anUploadThatEndsEarlyIsRefusedAndNotImported(fields: String) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        "POST /api/imports?name=a.journal HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                            + "\(fields)2026-01-01 x\n    a  1 EUR\n    b\n")
                    writing.finish()

                    #expect(try await reading.text(upTo: "\r\n")?.contains(" 400 ") == true)
                }
                #expect(try await server.get("/api/imports").text.contains("a.journal") == false)
                #expect(try await server.balances() == [])
            }
        }

        @Test func aKeyThatIsTooLongIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let key = String(repeating: "k", count: 10_000)

                let answer = try await server.post(
                    "/api/transactions", json: good, headers: ["Idempotency-Key: \(key)"])

                #expect(answer.status == 400)
                #expect(try await server.balances() == [])
            }
        }

        @Test func aJournalThatIsNoneIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for journal: [UInt8] in [
                    [0xFF, 0xFE, 0], Array("2026-01-01 x\n    a  1 EUR\n    b  2 EUR\n".utf8) + [0xC3, 0x28],
                    Array("no journal at all\n".utf8),
                ] {
                    let answer = try await server.send(
                        "POST", "/api/imports?name=bad.journal", headers: ["Content-Type: text/plain"], body: journal)

                    #expect(answer.status == 422, "\(String(decoding: journal, as: UTF8.self)): \(answer.text)")
                }
                for verb in ["pause", "resume", "explode"] {
                    let answer = try await server.send("POST", "/api/imports/nothing/\(verb)", body: [])
                    #expect(answer.status == 404, "\(verb)")
                }
                #expect(try await server.get("/api/imports").json(ImportsResponse.self).imports == [])
            }
        }

        private static let paths = [
            "/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd",
            "/....//....//etc/passwd", "/page.css/../../../etc/passwd", "//etc/passwd", "/page.css%00.html",
            "/.git/config", "/books.sqlite", "/api/transactions/..%2f..%2fhealth",
            "/api/transactions/'%20OR%201=1%20--", "/api/%ff%fe", "/" + String(repeating: "a", count: 8_000),
        ]

        @Test func aPathOutsideOfThePageIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for path in Self.paths {
                    let answer = try await server.get(path)

                    #expect((400..<500).contains(answer.status), "\(path.prefix(60)): \(answer.status)")
                    #expect(!answer.text.contains("root:"), "\(path)")
                }
            }
        }

        private static let queries = [
            "register?account=", "register?account=assets:bank&limit=0", "register?account=assets:bank&limit=-1",
            "register?account=assets:bank&limit=99999999999999999999", "register?account=assets:bank&after=nonsense",
            "register?account=assets:bank&account=equity", "register?account=no:such", "history?account=no:such",
            "transactions/00000000-0000-0000-0000-000000000000",
        ]

        @Test func aParameterOutsideOfItsRangeIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                #expect(try await server.post("/api/transactions", json: good).status == 201)
                for query in Self.queries {
                    let answer = try await server.get("/api/\(query)")
                    #expect([400, 404].contains(answer.status), "\(query): \(answer.status)")
                }
            }
        }

        @Test(arguments: ["DELETE", "PUT", "PATCH", "TRACE", "CONNECT", "BREW"])
        func aMethodWithoutARouteIsRefused(method: String) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let bytes = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        "\(method) /api/balances HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    )
                    return try await reading.all()
                }

                // Without an answer, the server has closed the connection.
                if !bytes.isEmpty { #expect((400..<500).contains(try Answer(bytes).status)) }
                #expect(try await server.get("/api/balances").status == 200)
            }
        }

        @Test func aRequestForAnotherHostOrFromAnotherSiteIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let hosts = [
                    "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
                    "169.254.169.254", "[::ffff:1.2.3.4]",
                ]
                let origins = [
                    "http://evil.example", "https://127.0.0.1.evil.example", "null",
                    "http://127.0.0.1:\(server.port).evil.example", "http://127.0.0.1:\(server.port + 1)",
                ]
                for header in hosts.map({ "Host: \($0)" }) + origins.map({ "Origin: \($0)" }) {
                    let posted = try await server.post("/api/transactions", json: good, headers: [header])
                    #expect(posted.status == 403, "\(header)")
                    let stream = try await server.send("GET", "/api/events", headers: [header])
                    #expect(stream.status == 403, "\(header)")
                }
                #expect(try await server.balances() == [])

                let own = "Origin: http://127.0.0.1:\(server.port)"
                #expect(try await server.post("/api/transactions", json: good, headers: [own]).status == 201)
            }
        }

        @Test func loadBalancersReadTheHealthUnderAnyHost() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for path in ["/health/live", "/health/ready"] {
                    let answer = try await server.send("GET", path, headers: ["Host: 10.1.2.3:8080"])
                    #expect(answer.status == 200, "\(path)")
                }
                #expect(try await server.send("GET", "/api/health", headers: ["Host: 10.1.2.3:8080"]).status == 403)
            }
        }

        @Test func aRequestWithoutAHostIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send("GET /api/balances HTTP/1.1\r\nConnection: close\r\n\r\n")
                    return try Answer(try await reading.all())
                }
                #expect([400, 403].contains(answer.status))
            }
        }
    }
}
#endif
