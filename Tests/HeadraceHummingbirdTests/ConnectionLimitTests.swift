// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceHummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@Suite struct ConnectionLimitTests {
    private func connect(_ limit: ConnectionLimit) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: limit.makeHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    /// Returns the head of the response that `channel` has received without a request.
    private func refusal(of channel: EmbeddedChannel) throws -> HTTPResponse? {
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
        return head
    }

    @Test func aConnectionBeyondTheLimitIsRefusedUntilAnotherCloses() throws {
        let limit = ConnectionLimit(2)
        let first = try connect(limit)
        let second = try connect(limit)

        let third = try connect(limit)

        let head = try #require(try refusal(of: third))
        #expect(head.status.code == 503)
        #expect(head.headerFields[.contentType] == "application/problem+json")
        #expect(head.headerFields[.retryAfter] == "5")
        #expect(head.headerFields[.connection] == "close")
        guard case .body(let body) = try third.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("The response has no body.")
            return
        }
        #expect(head.headerFields[.contentLength] == "\(body.readableBytes)")
        #expect(String(buffer: body).contains(#""code":"tooManyConnections""#))
        #expect(third.isActive == false)
        #expect(try refusal(of: first) == nil)
        #expect(try refusal(of: second) == nil)

        try first.close().wait()
        #expect(try refusal(of: connect(limit)) == nil)
    }

    @Test func onlyAnAcceptedConnectionPassesOnItsRequests() throws {
        let limit = ConnectionLimit(1)
        let request = HTTPRequestPart.head(HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"))
        let accepted = try connect(limit)
        let refused = EmbeddedChannel(handler: limit.makeHandler())
        refused.pipeline.fireChannelActive()

        try accepted.writeInbound(request)
        try refused.writeInbound(request)

        #expect(try accepted.readInbound(as: HTTPRequestPart.self) == request)
        #expect(try refused.readInbound(as: HTTPRequestPart.self) == nil)
    }

    // MARK: Requests that go on after their answer

    private static let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))
    private static let drip = HTTPRequestPart.body(ByteBuffer(string: "x"))

    private func answer(_ channel: EmbeddedChannel, _ status: HTTPResponse.Status = .notFound) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test func aClientThatGoesOnSendingAfterItsAnswerIsCutOff() throws {
        let channel = try connect(ConnectionLimit(1, drainTime: .seconds(3)))
        try channel.writeInbound(Self.head)
        try answer(channel)

        for _ in 1...2 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(Self.drip)
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))

        #expect(!channel.isActive)
    }

    @Test func aRequestThatIsCompletedInTimeKeepsItsConnection() throws {
        let channel = try connect(ConnectionLimit(1, drainTime: .seconds(3)))
        for _ in 1...3 {
            try channel.writeInbound(Self.head)
            try answer(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            try channel.writeInbound(HTTPRequestPart.end(nil))
        }
        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(channel.isActive)
    }

    @Test func aSlowBodyThatIsNotAnsweredYetIsNotCutOff() throws {
        let channel = try connect(ConnectionLimit(1, drainTime: .seconds(3)))
        try channel.writeInbound(Self.head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        // The next request is read before the first is answered.
        try channel.writeInbound(Self.head)
        try answer(channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(channel.isActive)
    }

    @Test func aConnectionWhoseOutputHasEndedIsClosed() throws {
        let channel = try connect(ConnectionLimit(1, drainTime: .seconds(3)))
        channel.close(mode: .output, promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(3))

        #expect(!channel.isActive)
    }

    @Test func aLongTargetIsRefused() throws {
        for (length, status) in [(8 << 10, nil), ((8 << 10) + 1, 414)] as [(Int, Int?)] {
            let channel = try connect(ConnectionLimit(1))
            let target = "/" + String(repeating: "x", count: length - 1)

            try channel.writeInbound(
                HTTPRequestPart.head(HTTPRequest(method: .get, scheme: nil, authority: nil, path: target)))

            #expect(try refusal(of: channel)?.status.code == status)
            #expect(try (channel.readInbound(as: HTTPRequestPart.self) == nil) == (status != nil))
        }
    }

    @Test func aLongHeadIsRefused() throws {
        let channel = try connect(ConnectionLimit(1))

        channel.pipeline.fireErrorCaught(HTTPParserError.headerOverflow)

        #expect(try refusal(of: channel)?.status.code == 431)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
#endif
