// SPDX-License-Identifier: Apache-2.0

#if Inspector
import Foundation
import HeadraceInspector
import HeadraceTesting
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

#if Lifecycle
import ServiceLifecycle
#endif

/// The server on local sockets.
@Suite(.timeLimit(.minutes(5))) struct InspectorServerTests {
    private let bank: BankFixture
    private let clock = TestClock()
    private let server: InspectorServer

    init() throws {
        bank = try BankFixture()
        server = InspectorServer(bank.inspector, clock: clock, announce: { _ in })
    }

    private func port(_ url: URL) throws -> UInt16 { UInt16(try #require(url.port)) }

    private func connect(_ port: UInt16, to host: String = "127.0.0.1") async throws -> Connection {
        try await Connection(to: host, port: port)
    }

    /// Sends `text` and returns everything that arrives before the connection closes.
    private func exchange(_ port: UInt16, _ text: String) async throws -> String {
        let connection = try await connect(port)
        try? await connection.write(text)
        let response = await connection.rest()
        await connection.close()
        return response
    }

    private func request(_ target: String, _ port: UInt16) -> String {
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(server.routes.bearerToken)\r\n\r\n"
    }

    @Test func itAnswersUntilItIsStoppedAndCanStartAgain() async throws {
        let announced = Mutex<[String]>([])
        let server = InspectorServer(bank.inspector, clock: clock) { url in announced.withLock { $0.append(url) } }
        let url = try await server.start()
        let port = try port(url)

        #expect(announced.withLock(\.self) == [url.absoluteString])
        #expect(url.absoluteString.hasPrefix("http://127.0.0.1:\(port)/?token="))
        #expect(server.url == url)
        let response = try await exchange(
            port, "GET /?\(url.query() ?? "") HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 303 See Other\r\nConnection: close\r\n"))

        await server.stop()
        #expect(server.url == nil)
        await #expect(throws: (any Error).self) { try await exchange(port, "GET / HTTP/1.1\r\n\r\n") }
        try await server.start()
        await server.stop()
    }

    @Test func itDoesNotListenOnAnotherAddress() async throws {
        let port = try port(try await server.start())

        await #expect(throws: (any Error).self) { try await connect(port, to: "127.0.0.2") }

        await server.stop()
    }

    @Test func aSecondStartAndATakenPortAreReported() async throws {
        let port = try port(try await server.start())

        let again = await #expect(throws: InspectorServerError.self) { try await server.start() }
        #expect(again?.code == .alreadyRunning)
        let other = InspectorServer(bank.inspector, port: port, announce: { _ in })
        let taken = await #expect(throws: InspectorServerError.self) { try await other.start() }
        #expect(taken?.code == .cannotListen)
        #expect(taken?.message.contains("\(port)") == true)

        await server.stop()
    }

    @Test func thePageAndItsFilesAreServedCompletely() async throws {
        let port = try port(try await server.start())

        for path in ["/", "/inspector.js", "/api/graphs"] {
            let response = try await exchange(port, request(path, port))
            let parts = response.split(separator: "\r\n\r\n", maxSplits: 1)
            #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(parts.count == 2 && parts[0].contains("Content-Length: \(parts[1].utf8.count)"), "\(path)")
        }

        await server.stop()
    }

    @Test func aRequestOverASocketReplaysADeadLetter() async throws {
        let server = InspectorServer(bank.inspector, allowsWrites: true, clock: clock, announce: { _ in })
        let port = try port(try await server.start())
        try await bank.request(13)
        try await bank.deliver(1)

        let body = "{\"ids\": [1]}"
        let response = try await exchange(
            port,
            """
            POST /api/dead-letters/replay HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r
            Origin: http://localhost:\(port)\r\nAuthorization: Bearer \(server.routes.bearerToken)\r
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        )

        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n") && response.hasSuffix("{\"count\":1}"))
        await server.stop()
    }

    // MARK: Streams

    @Test func stoppingTheServerEndsAnOpenStreamAtOnce() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        try await socket.write(request("/api/events", port))
        try await socket.read(until: "event: rates")

        try await bank.request(1)
        async let flow: Void = socket.read(until: "PostRequest")
        await bank.clock.waitForSleepers(1)
        bank.clock.advance(by: .milliseconds(200))
        try await flow

        await server.stop()
        _ = await socket.rest()
        await socket.close()
    }

    @Test func aDisconnectedClientReleasesItsStream() async throws {
        var limits = InspectorRoutes.Limits()
        limits.streamCount = 1
        let server = InspectorServer(bank.inspector, limits: limits, clock: clock, announce: { _ in })
        let port = try port(try await server.start())
        let request = """
            GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(server.routes.bearerToken)\r\n\r\n
            """
        for _ in 0..<5 {
            let socket = try await connect(port)
            // The stream is available again when the server has noticed that the previous client is gone.
            var line = ""
            while !line.hasPrefix("HTTP/1.1 200") {
                let socket = try await connect(port)
                try await socket.write(request)
                line = try await socket.read()
                #expect(line.hasPrefix("HTTP/1.1 200") || line.hasPrefix("HTTP/1.1 429"))
                await socket.close()
            }
            await socket.close()
        }
        await server.stop()
    }

    #if Lifecycle
    @Test func aGracefulShutdownEndsTheServerAndItsStreams() async throws {
        let server = server
        let started = Gate()
        let url = Mutex<String>("")
        let announcing = InspectorServer(bank.inspector, clock: clock) { text in
            url.withLock { $0 = text }
            started.open()
        }
        let group = ServiceGroup(services: [announcing], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        await started.pass()
        let port = try port(try #require(URL(string: url.withLock(\.self))))
        let socket = try await connect(port)
        let head =
            "GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(announcing.routes.bearerToken)"
        try await socket.write("\(head)\r\n\r\n")
        try await socket.read(until: "event: rates")

        await group.triggerGracefulShutdown()
        try await running.value

        _ = await socket.rest()
        #expect(announcing.url == nil && server.url == nil)
        await socket.close()
    }
    #endif

    // MARK: Abuse

    @Test(arguments: [
        ("garbage\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n\r\n", "421"), ("\u{0}\u{1}\u{2}\r\n\r\n", "400"),
        ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"), ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "401"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\n\r\n", "413"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"),
        ("GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\n\r\n", "414"),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 1_000_000))\r\n\r\n", "431"),
    ])
    func aBadRequestIsRefusedAndTheServerContinues(text: String, status: String) async throws {
        let port = try port(try await server.start())

        let socket = try await connect(port)
        // The server can close the connection before the client has sent everything.
        try? await socket.write(text)
        let line = try await socket.read()
        await socket.close()

        #expect(line.hasPrefix("HTTP/1.1 \(status) "), "\(line.prefix(100))")
        #expect(try await exchange(port, request("/", port)).hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func aSlowClientReceivesATimeout() async throws {
        let port = try port(try await server.start())
        for text in ["", "GET / HTT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n123"] {
            let socket = try await connect(port)
            try await socket.write(text)
            await clock.waitForSleepers(1)

            clock.advance(by: .seconds(10))

            #expect(await socket.rest().hasPrefix("HTTP/1.1 408 Request Timeout"))
            await socket.close()
        }
        await server.stop()
    }

    @Test func theNumberOfConnectionsIsLimited() async throws {
        let port = try port(try await server.start())
        var idle: [Connection] = []
        for _ in 0..<64 { idle.append(try await connect(port)) }
        await clock.waitForSleepers(64)

        for _ in 0..<100 { #expect(try await exchange(port, "").hasPrefix("HTTP/1.1 503")) }

        clock.advance(by: .seconds(10))
        for socket in idle {
            #expect(await socket.rest().hasPrefix("HTTP/1.1 408"))
            await socket.close()
        }
        await server.stop()
    }

    @Test func aClientThatClosesItsOutputReceivesItsResponse() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        try await socket.writeLast(request("/", port))

        #expect(await socket.rest().hasPrefix("HTTP/1.1 200 OK\r\n"))
        await socket.close()
        await server.stop()
    }

    @Test func stoppingTheServerClosesConnectionsWithoutARequest() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        await clock.waitForSleepers(1)

        await server.stop()

        #expect(await socket.rest().isEmpty)
        await socket.close()
    }

    @Test func aClientThatExpectsContinueReceivesIt() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        try await socket.write(
            "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        try await socket.read(until: "HTTP/1.1 100 Continue\r\n\r\n")
        try await socket.write("{}")

        #expect(await socket.rest().hasPrefix("HTTP/1.1 401"))
        await socket.close()
        await server.stop()
    }
}

/// A connection of a client.
private struct Connection: Sendable {
    private struct Ended: Error {}

    /// Passes on the input of a connection.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let input: AsyncStream<String>.Continuation

        init(_ input: AsyncStream<String>.Continuation) {
            self.input = input
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            input.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) {
            input.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    private let channel: any Channel
    private let input: AsyncStream<String>

    init(to host: String, port: UInt16) async throws {
        let (input, continuation) = AsyncStream<String>.makeStream()
        self.input = input
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // This timeout is in real time, and the tests of a busy machine share few threads.
            .connectTimeout(.seconds(300))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: host, port: Int(port))
            .get()
    }

    func write(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    func read() async throws -> String {
        for await text in input { return text }
        throw Ended()
    }

    func read(until text: String) async throws {
        var all = ""
        while !all.contains(text) { all += try await read() }
    }

    /// Returns everything that arrives before the server closes the connection.
    func rest() async -> String {
        await input.reduce(into: "") { $0 += $1 }
    }

    /// Writes `text` and closes the output, before the client can see that the server has closed the connection.
    func writeLast(_ text: String) async throws {
        let channel = channel
        try await channel.eventLoop.flatSubmit {
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            return channel.close(mode: .output)
        }.get()
    }

    func close() async { try? await channel.close() }
}
#endif
