// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceDomain
import HeadraceHummingbird
import HeadraceInspector
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

/// The server on local sockets.
@Suite(.timeLimit(.minutes(5))) struct InspectorServerTests {
    private let inspector = Inspector()
    private let clock = TestClock()
    private let server: InspectorServer

    init() {
        server = InspectorServer(inspector, allowsWrites: true, clock: clock, announce: { _ in })
    }

    private func start(_ server: InspectorServer? = nil) async throws -> Int {
        try #require(try await (server ?? self.server).start().port)
    }

    /// Returns the head of a request with the token, and with its body if there is one.
    private func request(
        _ target: String,
        _ server: InspectorServer? = nil,
        headers: String = "",
        body: String? = nil
    ) -> String {
        let token = (server ?? self.server).routes.bearerToken
        let content = body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
        return """
            \(body == nil ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r
            \(content)\(headers)\r\n\(body ?? "")
            """
    }

    /// Sends `text`, and returns the first line of the response.
    private func status(of text: String, _ port: Int) async throws -> String? {
        try await Connection.with(port: port) { reading, writing in
            try await writing.send(text)
            return try await reading.text(upTo: "\r\n")
        }
    }

    // MARK: Start and stop

    @Test func itAnswersUntilItIsStoppedAndCanStartAgain() async throws {
        let announced = Mutex<[String]>([])
        let server = InspectorServer(inspector) { url in announced.withLock { $0.append(url) } }
        let url = try await server.start()
        let port = try #require(url.port)

        #expect(announced.withLock(\.self) == [url.absoluteString])
        #expect(url.absoluteString.hasPrefix("http://127.0.0.1:\(port)/?token="))
        #expect(server.url == url)
        let signIn = "GET /?\(url.query() ?? "") HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        #expect(try await status(of: signIn, port) == "HTTP/1.1 303 See Other\r\n")

        await server.stop()
        #expect(server.url == nil)
        await #expect(throws: (any Error).self) { try await status(of: signIn, port) }
        #expect(try await status(of: signIn, start(server)) == "HTTP/1.1 303 See Other\r\n")
        await server.stop()
    }

    @Test func itDoesNotListenOnAnotherAddress() async throws {
        let port = try await start()

        await #expect(throws: (any Error).self) {
            try await Connection.with(host: "127.0.0.2", port: port) { _, _ in }
        }

        await server.stop()
    }

    @Test func aSecondStartAndATakenPortAreReported() async throws {
        let port = try await start()

        let again = await #expect(throws: InspectorServerError.self) { try await server.start() }
        #expect(again?.code == .alreadyRunning)
        let other = InspectorServer(inspector, port: UInt16(port), announce: { _ in })
        for _ in 1...2 {
            let taken = await #expect(throws: InspectorServerError.self) { try await other.start() }
            #expect(taken?.code == .cannotListen)
            #expect(taken?.message.contains("\(port)") == true)
        }

        await server.stop()
        #expect(try await start(other) == port)
        await other.stop()
    }

    @Test func aStartThatIsCancelledLeavesTheServerStopped() async throws {
        let (server, gate) = (server, Gate())
        let starting = Task {
            await gate.pass()
            try await server.start()
        }
        starting.cancel()
        gate.open()

        await #expect(throws: CancellationError.self) { try await starting.value }

        #expect(server.url == nil)
        _ = try await start()
        await server.stop()
    }

    @Test func aCancelledRunEnds() async throws {
        let started = Gate()
        let server = InspectorServer(inspector) { _ in started.open() }
        let running = Task { try await server.run() }
        await started.pass()

        running.cancel()
        try await running.value

        #expect(server.url == nil)
    }

    @Test func startingAndStoppingLogsNothing() async throws {
        let handler = InMemoryLogHandler()

        try await withLogger(Logger(label: "test") { _ in handler }) { _ in
            try await server.start()
            await server.stop()
        }

        #expect(handler.entries.isEmpty)
    }

    @Test func aServerThatIsReleasedEndsItsStreams() async throws {
        let released = Mutex<InspectorServer?>(nil)
        func startReleased() async throws -> (request: String, port: Int) {
            let server = InspectorServer(inspector, announce: { _ in })
            released.withLock { $0 = server }
            return (self.request("/api/events", server), try await start(server))
        }
        let (request, port) = try await startReleased()

        try await Connection.with(port: port) { reading, writing in
            try await writing.send(request)
            _ = try await reading.text(upTo: "event: rates")

            released.withLock { $0 = nil }

            _ = try await reading.all()
        }
    }

    @Test func aGracefulShutdownEndsTheServerAndItsStreams() async throws {
        let started = Gate()
        let url = Mutex("")
        let server = InspectorServer(inspector) { text in
            url.withLock { $0 = text }
            started.open()
        }
        let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
        async let running: Void = group.run()
        await started.pass()
        let address = URL(string: url.withLock(\.self))
        let port = try #require(address?.port)
        let request = request("/api/events", server)

        try await Connection.with(port: port) { reading, writing in
            try await writing.send(request)
            _ = try await reading.text(upTo: "event: rates")

            await group.triggerGracefulShutdown()

            _ = try await reading.all()
        }
        try await running
        #expect(server.url == nil)
    }

    @Test(arguments: ["", "GET / HTT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"])
    func stoppingTheServerClosesAConnectionWithoutACompleteRequest(text: String) async throws {
        let port = try await start()
        let (server, first) = (server, request("/"))

        try await Connection.with(port: port) { reading, writing in
            // After a complete request, the connection is open.
            try await writing.send(first + text)
            _ = try await reading.text(upTo: "\r\n")

            await server.stop()

            _ = try await reading.all()
        }
    }

    // MARK: Requests

    @Test func thePageAndItsFilesAreServedCompletely() async throws {
        let port = try await start()

        for path in ["/", "/inspector.js", "/api/graphs"] {
            let request = request(path, headers: "Connection: close\r\n")
            let response = try await Connection.with(port: port) { reading, writing in
                try await writing.send(request)
                return String(decoding: try await reading.all(), as: UTF8.self)
            }
            let parts = response.split(separator: "\r\n\r\n", maxSplits: 1)
            #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(parts.count == 2 && parts[0].contains("Content-Length: \(parts[1].utf8.count)"), "\(path)")
        }

        await server.stop()
    }

    @Test func requestsOnOneConnectionChangeAStore() async throws {
        inspector.show(try InMemoryStore(entities: []))
        let port = try await start()
        let request = request("/api/dead-letters/replay", body: "{\"ids\": [1]}")

        try await Connection.with(port: port) { reading, writing in
            for _ in 1...2 {
                try await writing.send(request)
                #expect(try await reading.text(upTo: "\r\n") == "HTTP/1.1 200 OK\r\n")
                #expect(try await reading.text(upTo: "{\"count\":0}") != nil)
            }
        }

        await server.stop()
    }

    @Test func aClientThatClosesItsOutputReceivesItsResponse() async throws {
        let port = try await start()
        let request = request("/")

        try await Connection.with(port: port) { reading, writing in
            try await writing.send(request)
            writing.finish()

            #expect(String(decoding: try await reading.all(), as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }

        await server.stop()
    }

    @Test func aDisconnectedClientReleasesItsStream() async throws {
        var limits = InspectorRoutes.Limits()
        limits.streamCount = 1
        let server = InspectorServer(inspector, limits: limits, announce: { _ in })
        let port = try await start(server)

        for _ in 0..<5 {
            // The stream is available again when the server has noticed that the previous client is gone.
            var line: String?
            while line != "HTTP/1.1 200 OK\r\n" {
                line = try await status(of: request("/api/events", server), port)
                #expect(line == "HTTP/1.1 200 OK\r\n" || line == "HTTP/1.1 429 Too Many Requests\r\n")
            }
        }

        await server.stop()
    }

    // MARK: Abuse

    @Test(arguments: [
        ("garbage\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 421), ("\u{0}\u{1}\u{2}\r\n\r\n", 400),
        ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421), ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 401),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\n\r\n", 401),
        ("GET /\(String(repeating: "x", count: 2_048)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        ("GET /\(String(repeating: "x", count: 10_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        ("GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 1_000_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 65))\r\n", 431),
    ])
    func aBadRequestIsRefusedAndTheServerContinues(text: String, status: Int) async throws {
        let port = try await start()

        let line = try await self.status(of: text, port)

        #expect(line?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(line ?? "")")
        #expect(try await self.status(of: request("/"), port) == "HTTP/1.1 200 OK\r\n")
        await server.stop()
    }

    @Test func aLongBodyIsRefusedBeforeAndWhileItArrives() async throws {
        let port = try await start()
        let target = "/api/dead-letters/replay"
        let announced = request(target, headers: "Content-Length: 104857600\r\n")
        let chunked = request(target, headers: "Transfer-Encoding: chunked\r\n")
        let chunk = "100001\r\n\(String(repeating: "x", count: 0x100001))\r\n"

        for text in [announced, chunked + chunk] {
            let line = try await status(of: "POST" + text.dropFirst(3), port)
            #expect(line?.hasPrefix("HTTP/1.1 413 ") == true, "\(line ?? "")")
        }

        await server.stop()
    }

    @Test func aSlowBodyReceivesATimeout() async throws {
        let port = try await start()
        let (clock, request) = (clock, request("/api/dead-letters/replay", body: "{\"ids\": [1]}").dropLast())

        try await Connection.with(port: port) { reading, writing in
            try await writing.send(String(request))
            await clock.waitForSleepers(1)

            clock.advance(by: .seconds(10))

            #expect(try await reading.text(upTo: "\r\n") == "HTTP/1.1 408 Request Timeout\r\n")
        }

        await server.stop()
    }

    @Test func theNumberOfConnectionsIsLimited() async throws {
        var limits = InspectorRoutes.Limits()
        limits.streamCount = 64
        let server = InspectorServer(inspector, limits: limits, announce: { _ in })
        let (port, request, gate) = (try await start(server), request("/api/events", server), Gate())

        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    try await Connection.with(port: port) { reading, writing in
                        try await writing.send(request)
                        #expect(try await reading.text(upTo: "\r\n") == "HTTP/1.1 200 OK\r\n")
                        await gate.pass()
                    }
                }
            }
            await gate.arrivals(64)

            for _ in 0..<100 {
                let line = try await status(of: "", port)
                #expect(line == "HTTP/1.1 503 Service Unavailable\r\n")
            }

            gate.open()
            try await group.waitForAll()
        }
        await server.stop()
    }
}
#endif
