// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import Hummingbird
import LedgerApplication
import LedgerTestSupport
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import LedgerServer

/// A server on a free port with its own database, for one test.
final class TestServer: Sendable {
    let server: LedgerServer
    let port: Int
    let deliveries: DeliveryWatch

    private init(_ server: LedgerServer, port: Int, deliveries: DeliveryWatch) {
        self.server = server
        self.port = port
        self.deliveries = deliveries
    }

    /// Runs a server on the database in `folder` while `body` runs, then shuts it down gracefully.
    static func with<Value: Sendable>(
        in folder: TestFolder,
        configure: (inout LedgerServerConfiguration) -> Void = { _ in },
        _ body: @Sendable @escaping (TestServer) async throws -> Value
    ) async throws -> Value {
        var configuration = LedgerServerConfiguration(database: folder.location)
        configuration.port = 0
        configuration.limits.eventInterval = .milliseconds(1)
        configuration.limits.pollInterval = .milliseconds(20)
        configure(&configuration)
        var relay = Relay.Configuration()
        relay.backoff = Backoff(base: .milliseconds(2), longest: .milliseconds(20))
        relay.idempotencyRetention = .seconds(600)
        let deliveries = DeliveryWatch()
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await LedgerServer(configuration, relayObservers: [deliveries], relay: relay, logger: quiet)
        let (addresses, address) = AsyncStream<String>.makeStream()
        let service = try await server.makeServer { address.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [service], logger: quiet))

        let value = try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                defer { address.finish() }
                try await group.run()
                return nil
            }
            tasks.addTask {
                var iterator = addresses.makeAsyncIterator()
                let text = try #require(await iterator.next())
                let port = try #require(URL(string: text)?.port)
                do {
                    let value = try await body(TestServer(server, port: port, deliveries: deliveries))
                    await group.triggerGracefulShutdown()
                    return value
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
            }
            var value: Value?
            for try await some in tasks { value = some ?? value }
            return value
        }
        try server.store.close()
        return try #require(value)
    }

    /// Sends a request and returns the response.
    func send(
        _ method: String,
        _ path: String,
        headers: [String] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
        if !headers.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: 127.0.0.1:\(port)") }
        if let body { lines.append("Content-Length: \(body.count)") }
        let request = Array(((lines + headers).joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
        return try await Connection.with(port: port) { reading, writing in
            try await writing.send(request)
            return try Answer(try await reading.all())
        }
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    func post(_ path: String, json: String, headers: [String] = []) async throws -> Answer {
        try await send("POST", path, headers: ["Content-Type: application/json"] + headers, body: Array(json.utf8))
    }

    /// Posts a transfer between two accounts.
    @discardableResult
    func transfer(
        _ amount: String,
        from source: String = "cash",
        to target: String = "food",
        on date: String = "2026-01-31",
        key: String? = nil
    ) async throws -> Answer {
        let postings = """
            [{"account":"\(target)","amount":"\(amount)"},{"account":"\(source)","amount":null}]
            """
        return try await post(
            "/api/transactions",
            json: #"{"date":"\#(date)","description":"transfer","postings":\#(postings)}"#,
            headers: key.map { ["Idempotency-Key: \($0)"] } ?? []
        )
    }

    /// Uploads a journal for an import.
    func upload(
        _ journal: String,
        named name: String = "test.journal",
        atomic: Bool? = nil,
        missing: String? = nil
    ) async throws -> Answer {
        try await send(
            "POST",
            "/api/imports?name=\(name)" + (atomic.map { "&atomic=\($0)" } ?? "")
                + (missing.map { "&missing=\($0)" } ?? ""),
            headers: ["Content-Type: text/plain"],
            body: Array(journal.utf8)
        )
    }

    /// The balances as text, one line for each account and commodity.
    func balances() async throws -> [String] {
        try await get("/api/balances").json(BalancesResponse.self).balances.flatMap { balance in
            balance.amounts.map { "\(balance.account) \($0.quantity) \($0.commodity)" }
        }
    }

    /// Opens the event stream while `body` runs.
    func listen<Value: Sendable>(
        receiveBuffer: Int? = nil,
        _ body: @Sendable (inout Events) async throws -> Value
    ) async throws -> Value {
        try await Connection.with(port: port, receiveBuffer: receiveBuffer) { reading, writing in
            try await writing.send("GET /api/events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            let head = try #require(try await reading.text(upTo: "\r\n\r\n"))
            #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
            var events = Events(reading: reading)
            return try await body(&events)
        }
    }

    /// The events of a stream.
    struct Events {
        struct Event: Sendable, Equatable {
            let name: String
            let data: String

            func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
                try JSONDecoder().decode(type, from: Data(data.utf8))
            }
        }

        fileprivate var reading: Connection.Reading

        /// The next event; `nil` at the end of the stream.
        mutating func next() async throws -> Event? {
            while let text = try await reading.text(upTo: "\n\n") {
                // The sizes of chunks are on separate lines.
                let lines = text.components(separatedBy: .newlines)
                guard let name = lines.first(where: { $0.hasPrefix("event: ") }),
                    let data = lines.first(where: { $0.hasPrefix("data: ") })
                else { continue }
                return Event(name: String(name.dropFirst(7)), data: String(data.dropFirst(6)))
            }
            return nil
        }

        /// Returns the next event with this name that fulfils `condition`.
        mutating func first<Value: Decodable>(
            _ name: String,
            as type: Value.Type = Value.self,
            where condition: (Value) throws -> Bool
        ) async throws -> Value {
            while let event = try await next() {
                guard event.name == name else { continue }
                let value = try event.json(type)
                if try condition(value) { return value }
            }
            throw EndOfStream()
        }
    }

    struct EndOfStream: Error {}
}

extension LedgerServer {
    /// The methods and paths of all routes.
    var routeNames: [String] { makeRouter().router.routes.map { "\($0.method.rawValue) \($0.path)" } }
}

/// An event with balances.
struct BalancesEvent: Codable {
    let balances: [BalanceResponse]
    let transactions: Int
}

/// The first event of the stream.
struct StateEvent: Codable {
    let balances: [BalanceResponse]
    let imports: [ImportResponse]
    let transactions: Int
}

/// A temporary folder that is removed when the object is deallocated, with the place of a ledger.
final class TestFolder: Sendable {
    let url: URL
    private let schema = TestDatabase.makeSchema()

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The place of the ledger: a file in the folder, or a schema of the server.
    var location: LedgerDatabase { LedgerDatabase(schema ?? database) }

    /// The path of the SQLite file.
    var database: String { url.appending(path: "books.sqlite").path(percentEncoded: false) }
}
#endif
