//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import FlyingFox
import FlyingSocks
import Foundation
import HeadraceInspector
import HeadraceTesting
import Logging
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
#if Lifecycle
import ServiceLifecycle
#endif

/// The server on real sockets of this machine.
@Suite(.timeLimit(.minutes(5))) struct InspectorServerTests {
    private let bank: Bank
    private let clock = TestClock()
    private let server: InspectorServer

    init() throws {
        bank = try Bank()
        server = InspectorServer(bank.inspector, clock: clock, announce: { _ in })
    }

    private func port(_ url: URL) throws -> UInt16 { UInt16(try #require(url.port)) }

    private func connect(_ port: UInt16, to host: String = "127.0.0.1") async throws -> AsyncSocket {
        try await AsyncSocket.connected(to: sockaddr_in.inet(ip4: host, port: port))
    }

    /// Sends `text` and gives everything that comes back until the connection is closed.
    private func exchange(_ port: UInt16, _ text: String) async throws -> String {
        let socket = try await connect(port)
        defer { try? socket.close() }
        try await socket.write(Data(text.utf8))
        return await rest(of: socket)
    }

    private func rest(of socket: AsyncSocket) async -> String {
        var bytes: [UInt8] = []
        while let more = try? await socket.read(atMost: 4_096) { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func read(_ socket: AsyncSocket, until text: String) async throws {
        var read = ""
        while !read.contains(text) { read += String(decoding: try await socket.read(atMost: 4_096), as: UTF8.self) }
    }

    private func request(_ target: String, _ port: UInt16) -> String {
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(server.routes.bearerToken)\r\n\r\n"
    }

    @Test func itAnswersOnThisMachineUntilItIsStoppedAndMayStartAgain() async throws {
        let announced = Mutex<[String]>([])
        let server = InspectorServer(bank.inspector) { url in announced.withLock { $0.append(url) } }
        let url = try await server.start()
        let port = try port(url)

        #expect(announced.withLock(\.self) == [url.absoluteString])
        #expect(url.absoluteString.hasPrefix("http://127.0.0.1:\(port)/?token="))
        #expect(server.url == url)
        let answer = try await exchange(port, "GET /?\(url.query() ?? "") HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 303 See Other\r\nConnection: close\r\n"))

        await server.stop()
        #expect(server.url == nil)
        await #expect(throws: (any Error).self) { try await exchange(port, "GET / HTTP/1.1\r\n\r\n") }
        try await server.start()
        await server.stop()
    }

    @Test func itListensOnNoOtherAddress() async throws {
        let port = try port(try await server.start())

        await #expect(throws: (any Error).self) { try await connect(port, to: "127.0.0.2") }

        await server.stop()
    }

    @Test func aSecondStartAndATakenPortAreReported() async throws {
        let port = try port(try await server.start())

        let again = await #expect(throws: InspectorServerError.self) { try await server.start() }
        #expect(again?.code == .alreadyStarted)
        let other = InspectorServer(bank.inspector, port: port, announce: { _ in })
        let taken = await #expect(throws: InspectorServerError.self) { try await other.start() }
        #expect(taken?.code == .cannotListen)
        #expect(taken?.message.contains("\(port)") == true)

        await server.stop()
    }

    @Test func thePageAndItsPartsAreServedWhole() async throws {
        let port = try port(try await server.start())

        for path in ["/", "/inspector.js", "/api/graphs"] {
            let answer = try await exchange(port, request(path, port))
            let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(parts.count == 2 && parts[0].contains("Content-Length: \(parts[1].utf8.count)"), "\(path)")
        }

        await server.stop()
    }

    @Test func aDeadLetterIsReplayedThroughTheSocket() async throws {
        let server = InspectorServer(bank.inspector, allowsWrites: true, announce: { _ in })
        let port = try port(try await server.start())
        try await bank.request(13)
        try await bank.deliver(1)

        let body = "{\"ids\": [1]}"
        let answer = try await exchange(
            port,
            """
            POST /api/dead-letters/replay HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r
            Origin: http://localhost:\(port)\r\nAuthorization: Bearer \(server.routes.bearerToken)\r
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        )

        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("{\"count\":1}"))
        await server.stop()
    }

    // MARK: Streams

    @Test func aStreamGoesOnUntilTheServerStopsWhichIsAtOnce() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        try await socket.write(Data(request("/api/events", port).utf8))
        try await read(socket, until: "event: rates")

        try await bank.request(1)
        async let flow: Void = read(socket, until: "PostRequest")
        await bank.clock.sleepers(1)
        bank.clock.advance(by: .milliseconds(200))
        try await flow

        await server.stop()
        _ = await rest(of: socket)
        try socket.close()
    }

    @Test func aClientThatIsGoneGivesItsStreamBack() async throws {
        var limits = InspectorRoutes.Limits()
        limits.streamCount = 1
        let server = InspectorServer(bank.inspector, limits: limits, clock: clock, announce: { _ in })
        let port = try port(try await server.start())
        let request = """
            GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(server.routes.bearerToken)\r\n\r\n
            """
        for _ in 0..<5 {
            let socket = try await connect(port)
            // Until the one before is noticed to be gone, there is none to be had.
            var line = ""
            while !line.hasPrefix("HTTP/1.1 200") {
                let socket = try await connect(port)
                try await socket.write(Data(request.utf8))
                line = String(decoding: try await socket.read(atMost: 4_096), as: UTF8.self)
                #expect(line.hasPrefix("HTTP/1.1 200") || line.hasPrefix("HTTP/1.1 429"))
                try socket.close()
            }
            try socket.close()
        }
        await server.stop()
    }

    #if Lifecycle
    @Test func aGracefulShutdownEndsItWithItsStreams() async throws {
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
        try await socket.write(Data("\(head)\r\n\r\n".utf8))
        try await read(socket, until: "event: rates")

        await group.triggerGracefulShutdown()
        try await running.value

        _ = await rest(of: socket)
        #expect(announcing.url == nil && server.url == nil)
        try socket.close()
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
    func whatIsWrongIsToldAndTheServerGoesOn(text: String, status: String) async throws {
        let port = try port(try await server.start())

        let socket = try await connect(port)
        // The server may have closed before all of it was sent.
        _ = try? await socket.write(Data(text.utf8))
        let line = String(decoding: try await socket.read(atMost: 4_096), as: UTF8.self)
        try socket.close()

        #expect(line.hasPrefix("HTTP/1.1 \(status) "), "\(line.prefix(100))")
        #expect(try await exchange(port, request("/", port)).hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func aClientThatTakesTooLongIsToldSo() async throws {
        let port = try port(try await server.start())
        for text in ["", "GET / HTT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n123"] {
            let socket = try await connect(port)
            try await socket.write(Data(text.utf8))
            await clock.sleepers(1)

            clock.advance(by: .seconds(10))

            #expect(await rest(of: socket).hasPrefix("HTTP/1.1 408 Request Timeout"))
            try socket.close()
        }
        await server.stop()
    }

    @Test func thereAreNoMoreConnectionsThanMayBe() async throws {
        let port = try port(try await server.start())
        var idle: [AsyncSocket] = []
        for _ in 0..<64 { idle.append(try await connect(port)) }
        await clock.sleepers(64)

        for _ in 0..<100 { #expect(try await exchange(port, "").hasPrefix("HTTP/1.1 503")) }

        clock.advance(by: .seconds(10))
        for socket in idle {
            #expect(await rest(of: socket).hasPrefix("HTTP/1.1 408"))
            try socket.close()
        }
        await server.stop()
    }

    @Test func whoWaitsToBeToldToSendTheBodyIsTold() async throws {
        let port = try port(try await server.start())
        let socket = try await connect(port)
        try await socket.write(
            Data("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8)
        )
        try await read(socket, until: "HTTP/1.1 100 Continue\r\n\r\n")
        try await socket.write(Data("{}".utf8))

        #expect(await rest(of: socket).hasPrefix("HTTP/1.1 401"))
        try socket.close()
        await server.stop()
    }
}
#endif
