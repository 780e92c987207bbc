// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct RefusalTests {
        private static func body(_ postings: String, date: String = "2026-01-31", rest: String = "") -> String {
            #"{"date":"\#(date)","postings":\#(postings)\#(rest)}"#
        }

        private static let mistakes: [(json: String, status: Int, code: String)] = [
            ("", 400, "malformed"),
            ("{", 400, "malformed"),
            ("[]", 400, "malformed"),
            (#"{"date":"2026-01-31"}"#, 400, "malformed"),
            (#"{"date":5,"postings":[]}"#, 400, "malformed"),
            (body("[1]"), 400, "malformed"),
            (body("[]", date: "2026-02-30"), 422, "invalidDate"),
            (body("[]"), 422, "noPostings"),
            (body(#"[{"account":"a","amount":"1 EUR"}]"#), 422, "singlePosting"),
            (body(#"[{"account":"","amount":"1 EUR"},{"account":"b"}]"#), 422, "emptyAccount"),
            (body(#"[{"account":"a","amount":"1 EUR"},{"account":"b","amount":"1 EUR"}]"#), 422, "unbalanced"),
            (body(#"[{"account":"a"},{"account":"b"}]"#), 422, "severalElidedAmounts"),
            (body(#"[{"account":"a","amount":"much"},{"account":"b"}]"#), 422, "invalidAmount"),
            (body(#"[{"account":"a","amount":"1,825 EUR"},{"account":"b"}]"#), 422, "ambiguousNumber"),
            (body(#"[{"account":"a","amount":"1.825 EUR"},{"account":"b"}]"#), 422, "ambiguousNumber"),
            (body(#"[{"account":"a","amount":"1 EUR\n b  2 EUR"},{"account":"b"}]"#), 422, "invalidAmount"),
            (body(#"[{"account":"a\u0000","amount":"1 EUR"},{"account":"b"}]"#), 422, "controlCharacter"),
            (body(#"[{"account":"a\u202E","amount":"1 EUR"},{"account":"b"}]"#), 422, "controlCharacter"),
            (body(#"[{"account":"a::c","amount":"1 EUR"},{"account":"b"}]"#), 422, "emptyLevel"),
            (
                body(#"[{"account":"a","amount":"1 EUR"},{"account":"b"}]"#, rest: #","description":"x\u2066y""#), 422,
                "controlCharacter"
            ),
            (body(#"[{"account":"a\nb","amount":"1 EUR"},{"account":"b"}]"#), 422, "severalLines"),
            (
                body(#"[{"account":"a","amount":"1 EUR"},{"account":"b"}]"#, rest: #","description":"x\ny""#), 422,
                "severalLines"
            ),
        ]

        @Test func invalidTransactionsAreReportedAndNotStored() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for (json, status, code) in Self.mistakes {
                    let answer = try await server.post("/api/transactions", json: json)

                    #expect(answer.status == status, "\(json): \(answer.text)")
                    let error = try answer.json(ProblemBody.self)
                    #expect(error.code == code, "\(json): \(error)")
                    #expect(!error.detail.isEmpty)
                }
                #expect(try await server.balances() == [])
            }
        }

        @Test func bytesThatAreNotUTF8AreRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let bytes =
                    Array(#"{"date":"2026-01-31","description":""#.utf8) + [0xC3, 0x28]
                    + Array(#"","postings":[]}"#.utf8)
                let answer = try await server.send(
                    "POST",
                    "/api/transactions",
                    headers: ["Content-Type: application/json"],
                    body: bytes
                )

                #expect(answer.status == 400)
                #expect(answer.text.contains("not UTF-8"))
                #expect(try await server.get("/api/register?account=%ff").status == 400)
            }
        }

        @Test func aBodyOfAnotherMediaTypeIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
                    let headers = type.isEmpty ? [] : ["Content-Type: \(type)"]
                    let answer = try await server.send(
                        "POST", "/api/transactions", headers: headers, body: Array("{}".utf8))
                    #expect(answer.status == 415)
                }
                let json = try await server.send(
                    "POST", "/api/imports?name=x", headers: ["Content-Type: application/json"], body: [])
                #expect(json.status == 415)
            }
        }

        @Test func aBodyThatIsTooLargeIsRefusedWithOrWithoutALength() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.bodyBytes = 1_000
                $0.limits.journalBytes = 2_000
            } _: { server in
                let large = [UInt8](repeating: UInt8(ascii: " "), count: 1_001)
                let stated = try await server.send(
                    "POST", "/api/transactions", headers: ["Content-Type: application/json"], body: large)
                #expect(stated.status == 413)
                let journal = try await server.upload(String(repeating: "; long\n", count: 500))
                #expect(journal.status == 413)

                let chunked = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        """
                        POST /api/transactions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n
                        """
                    )
                    for _ in 1...3 { try await writing.send("200\r\n\(String(repeating: " ", count: 512))\r\n") }
                    try await writing.send("0\r\n\r\n")
                    return try Answer(try await reading.all())
                }
                #expect(chunked.status == 413)
            }
        }

        @Test func aJournalWithATooLargeLengthTakesNoPermit() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.journalBytes = 2_000
                $0.limits.uploads = 0
            } _: { server in
                let large = try await server.upload(String(repeating: "; long\n", count: 500))
                #expect(large.status == 413)
                let small = try await server.upload("; short\n")
                #expect(small.status == 503)
            }
        }

        private static let callers: [(headers: [String], status: Int)] = [
            (["Host: evil.example"], 403),
            (["Host: 127.0.0.1.evil.example"], 403),
            (["Host: localhost:1"], 200),
            (["Host: LOCALHOST"], 200),
            (["Host: [::1]:8080"], 200),
            (["Host: localhost", "Origin: http://localhost"], 200),
            (["Host: localhost", "Origin: http://localhost:3000"], 403),
            (["Host: localhost", "Origin: https://evil.example"], 403),
            (["Host: localhost", "Origin: null"], 403),
        ]

        @Test func onlyRequestsWithAnAllowedHostAreServed() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for (headers, status) in Self.callers {
                    for path in ["/", "/api/balances", "/nothing"] {
                        let answer = try await server.send("GET", path, headers: headers)
                        let expected = status == 200 && path == "/nothing" ? 404 : status
                        #expect(answer.status == expected, "\(headers) \(path)")
                    }
                }
            }
        }

        @Test func aSecondHostIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await server.send("GET", "/", headers: ["Host: localhost", "Host: evil.example"])
                #expect(answer.status == 400)
            }
        }

        @Test(arguments: ["zz\r\n", "1\r\n{}x\r\n0\r\n\r\n"])
        func aBodyThatIsNotHTTPIsRefused(chunk: String) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        """
                        POST /api/transactions HTTP/1.1\r\nHost: localhost\r\n\
                        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n
                        """ + chunk
                    )
                    return try Answer(try await reading.all())
                }
                #expect(answer.status == 400)
                #expect(try await server.get("/api/balances").status == 200)
            }
        }

        @Test func anErrorNamesTheInvalidMemberOfTheBody() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for (json, field) in [
                    (#"{"date":"today","postings":[]}"#, "date"),
                    (
                        #"{"date":"2026-01-01","postings":[{"account":"a"},{"account":"b","amount":"x"}]}"#,
                        "postings[1].amount"
                    ),
                    (#"{"date":"2026-01-01","postings":[{"account":"a\n"}]}"#, "postings[0].account"),
                ] {
                    let answer = try await server.post("/api/transactions", json: json)
                    #expect(try answer.json(ProblemBody.self).failures?.first?.path == field)
                }
            }
        }

        @Test func aSlowRequestIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.idleTimeout = .milliseconds(300)
            } _: { server in
                let answer = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send(
                        """
                        POST /api/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                        Content-Length: 100\r\n\r\n{
                        """
                    )
                    return try await reading.all()
                }
                // The limit of the request or the limit of the connection is reached.
                if !answer.isEmpty { #expect(try Answer(answer).status == 408) }

                let silent = try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send("GET / HT")
                    return try await reading.all()
                }
                #expect(silent.isEmpty)
                #expect(try await server.get("/api/balances").status == 200)
            }
        }

        @Test func connectionsBeyondTheLimitAreRefusedUntilOthersClose() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.connections = 16
            } _: { server in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for _ in 1...48 { group.addTask { try await Self.status(of: server) } }
                    for try await status in group { #expect(status == 200 || Self.isTurnedAway(status)) }
                }
                #expect(Self.isTurnedAway(try await Self.status(holding: 16, of: server)))
                #expect(try await server.get("/api/balances").status == 200)
            }
        }

        @Test func aRefusedConnectionReceivesAProblem() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.connections = 1
            } _: { server in
                try await Connection.with(port: server.port) { reading, writing in
                    try await writing.send("GET /api/accounts HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    _ = try await reading.text(upTo: "}")
                    // The client sends nothing, so the system can't drop the response because of unread input.
                    let answer = try await Connection.with(port: server.port) { reading, _ in
                        try Answer(try await reading.all())
                    }
                    #expect(answer.status == 503)
                    #expect(answer.headers["content-type"] == "application/problem+json")
                    #expect(answer.headers["content-length"] == "\(answer.body.count)")
                    #expect(answer.headers["retry-after"] == "5")
                    #expect(try answer.json(ProblemBody.self).code == "tooManyConnections")
                }
            }
        }

        /// A refused client may have sent a request that the server didn't read.
        ///
        /// Then the system may drop the response.
        private static func isTurnedAway(_ status: Int?) -> Bool { status == nil || status == 503 }

        /// Returns the status of a request on a new connection; `nil` if it was closed without a response.
        private static func status(of server: TestServer) async throws -> Int? {
            try await Connection.with(port: server.port) { reading, writing in
                try await writing.send(
                    "GET /api/balances HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let bytes = try await reading.all()
                return bytes.isEmpty ? nil : try Answer(bytes).status
            }
        }

        /// Returns the status on another connection while others are open.
        private static func status(holding count: Int, of server: TestServer) async throws -> Int? {
            if count == 0 { return try await status(of: server) }
            return try await Connection.with(port: server.port) { reading, writing in
                try await writing.send("GET /api/accounts HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try await reading.text(upTo: "}")
                return try await status(holding: count - 1, of: server)
            }
        }
    }
}
#endif
