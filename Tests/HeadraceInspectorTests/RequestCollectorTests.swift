// SPDX-License-Identifier: Apache-2.0

#if Inspector
import HeadraceTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import HeadraceInspector

/// The requests of a connection, without a socket.
@Suite struct RequestCollectorTests {
    private let limits = InspectorRoutes.Limits()

    private func makeChannel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try RequestCollector.addHandlers(to: channel.pipeline.syncOperations, limits: limits)
        return channel
    }

    /// Returns the outcome of `bytes` that arrive in pieces of `size` bytes; `nil` if the request is incomplete.
    private func outcome(_ bytes: [UInt8], inPiecesOf size: Int = .max) throws -> RequestCollector.Outcome? {
        let channel = try makeChannel()
        var rest = bytes[...]
        while !rest.isEmpty {
            try channel.writeInbound(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return try channel.readInbound()
    }

    private func request(_ text: String, inPiecesOf size: Int = .max) throws -> InspectorRequest? {
        guard case .request(let request, _) = try outcome(Array(text.utf8), inPiecesOf: size) else { return nil }
        return request
    }

    private func status(_ bytes: [UInt8], inPiecesOf size: Int = .max) throws -> Int? {
        guard case .refusal(let status, _) = try outcome(bytes, inPiecesOf: size) else { return nil }
        return status
    }

    @Test(arguments: [1, 2, 7, .max])
    func aRequestIsCollectedFromEveryDivision(size: Int) throws {
        let text = "POST /api/x?y=1 HTTP/1.1\r\nHost: a:1\r\nX-Y:\t z \t\r\nContent-Length: 11\r\n\r\n123456\r\n9\r\n"
        let request = try #require(try request(text + "GET / HTTP/1.1\r\n\r\n", inPiecesOf: size))

        #expect(request.method == "POST")
        #expect(request.target == "/api/x?y=1")
        #expect(request.headers.map { "\($0.name)=\($0.value)" } == ["Host=a:1", "X-Y=z", "Content-Length=11"])
        #expect(String(decoding: request.body, as: UTF8.self) == "123456\r\n9\r\n")
    }

    @Test func anIncompleteRequestHasNoOutcome() throws {
        let bytes = Array("POST /some/path?with=query HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n123".utf8)
        for count in 0..<bytes.count { #expect(try outcome(Array(bytes.prefix(count))) == nil) }
        #expect(try outcome(bytes) != nil)
    }

    @Test func aClientThatExpectsContinueReceivesIt() throws {
        let channel = try makeChannel()
        try channel.writeInbound(
            ByteBuffer(string: "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n"))

        let response: ByteBuffer? = try channel.readOutbound()
        #expect(response.map { String(buffer: $0) } == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 505), (" / HTTP/1.1\r\n\r\n", 400),
        ("get / HTTP/1.1\r\n\r\n", 400), ("GÉT / HTTP/1.1\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/2\r\n\r\n", 505), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET / HTTP/0.9\r\n\r\n", 505), ("GET / HTTP/1.1\r\nA\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA : b\r\n\r\n", 400), ("GET / HTTP/1.1\r\n A: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA\u{7F}: b\r\n\r\n", 400),
        ("GET /\u{1} HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", 411),
        ("ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\n\r\n", 400), ("\u{0}\u{1}\u{2}\r\n\r\n", 400),
    ])
    func aMalformedRequestIsRefused(text: String, status: Int) throws {
        #expect(try self.status(Array(text.utf8)) == status)
        #expect(try self.status(Array(text.utf8), inPiecesOf: 1) == status)
    }

    @Test(arguments: ["GET / HTTP/1.1 \r\n\r\n", "GET / HTTP/1.1\n\n", "GET / HTTP/1.1x\r\n\r\n"])
    func aVersionWithoutItsLineEndIsRefused(text: String) throws {
        #expect([400, 505].contains(try status(Array(text.utf8))))
    }

    /// RFC 9112 allows a server to accept additional spaces, and an empty line before the request.
    @Test(arguments: ["GET  / HTTP/1.1\r\n\r\n", "\r\nGET / HTTP/1.1\r\n\r\n"])
    func additionalWhitespaceIsAccepted(text: String) throws {
        #expect(try request(text)?.target == "/")
        #expect(try request(text, inPiecesOf: 1)?.target == "/")
    }

    @Test func invalidUTF8IsRefused() throws {
        for (start, end) in [("GET / HTTP/1.1\r\nA: ", "\r\n\r\n"), ("GET /", " HTTP/1.1\r\n\r\n")] {
            #expect(try status(Array(start.utf8) + [0xFF, 0xFE] + Array(end.utf8)) == 400)
        }
    }

    @Test func aRequestThatEndsEarlyIsRefused() throws {
        for text in ["GET / HT", "GET / HTTP/1.1\r\nHost", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n1"] {
            let channel = try makeChannel()
            try channel.writeInbound(ByteBuffer(string: text))
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)

            guard case .refusal(400, _) = try channel.readInbound(as: RequestCollector.Outcome.self) else {
                Issue.record("'\(text)' isn't refused.")
                continue
            }
        }
    }

    // MARK: Limits

    @Test func anEndlessRequestLineIsRefusedEarly() throws {
        var bytes = Array("GET /".utf8)
        var status: Int?
        while status == nil, bytes.count < 1 << 20 {
            bytes += Array(repeating: UInt8(ascii: "x"), count: 100)
            status = try self.status(bytes)
        }
        #expect(status == 414)
        #expect(bytes.count < 3_000)
        #expect(try self.status(bytes, inPiecesOf: 1) == 414)
    }

    @Test func aTargetOfTheMaximumLengthIsAccepted() throws {
        let target = "/" + String(repeating: "x", count: limits.targetLength - 1)

        #expect(try request("GET \(target) HTTP/1.1\r\n\r\n", inPiecesOf: 100)?.target == target)
    }

    @Test(arguments: ["X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", "X: y\r\n", "X"])
    func endlessHeaderFieldsAreRefusedEarly(piece: String) throws {
        var bytes = Array("GET / HTTP/1.1\r\n".utf8)
        var status: Int?
        while status == nil, bytes.count < 1 << 20 {
            bytes += Array(String(repeating: piece, count: 20).utf8)
            status = try self.status(bytes)
        }
        #expect(status == 431)
        #expect(bytes.count < 20_000)
    }

    @Test func aTimeLimitRefusesTheRequestAndIgnoresItsRest() throws {
        let channel = try makeChannel()
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))

        channel.pipeline.fireUserInboundEventTriggered(RequestCollector.TimeLimitReached())
        try channel.writeInbound(ByteBuffer(string: "\r\n"))

        guard case .refusal(408, _) = try channel.readInbound(as: RequestCollector.Outcome.self) else {
            Issue.record("The request isn't refused.")
            return
        }
        #expect(try channel.readInbound(as: RequestCollector.Outcome.self) == nil)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func randomBytesAreRefusedOrIncomplete(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "GET", " ", "/", "HTTP/1.1", "\r\n", "\r", "\n", ":", "Host", "Content-Length: 5", "é", "\u{0}", "x",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
            if Int.random(in: 0..<10, using: &generator) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
        }
        switch try outcome(bytes, inPiecesOf: Int.random(in: 1...10, using: &generator)) {
        case .request(let request, _): #expect(request.body.count <= limits.bodyLength, "seed \(seed)")
        case .refusal(let status, _): #expect((400...599).contains(status), "seed \(seed)")
        case nil: break
        }
    }
}
#endif
