//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import FlyingSocks
import Foundation
import HeadraceCore

/// One connection: reads a request, writes the response, and closes the socket.
///
/// ``InspectorRoutes/Limits`` limit the size of the head and the body. Reading the request and each write have a timeout.
struct ServerConnection: Sendable {
    private static let readTimeout: Duration = .seconds(10)
    private static let writeTimeout: Duration = .seconds(10)
    private static let drainTimeout: Duration = .seconds(2)

    let socket: AsyncSocket
    let pool: ServerPool
    let routes: InspectorRoutes
    let clock: any TimeSource

    private struct ClientTimeout: Error {}

    func serve() async {
        await answer()
        await pool.settle()
        try? socket.close()
    }

    private func answer() async {
        do {
            let request: InspectorRequest
            do {
                request = try await within(Self.readTimeout) { try await readRequest() }
            } catch let problem as RequestHead.Problem {
                try await write(.refusal(problem.status, problem.message))
                return await drain()
            } catch is ClientTimeout {
                try await write(.refusal(408, "The request took longer than \(Self.readTimeout)."))
                return discardArrived()
            }
            try await write(await routes.respond(to: request))
        } catch {
            // The client has disconnected or the server stops, so no response is possible.
            return
        }
    }

    // MARK: Reading

    private func readRequest() async throws -> InspectorRequest {
        var bytes: [UInt8] = []
        var end: Int?
        while end == nil {
            bytes += try await socket.read(atMost: 4_096)
            end = try RequestHead.end(in: bytes, limits: routes.limits)
        }
        guard let end else { throw SocketError.disconnected }
        let head = try RequestHead(bytes[..<end], limits: routes.limits)
        if head.expectsContinue { try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        var body = Array(bytes[end...].prefix(head.bodyLength))
        while body.count < head.bodyLength {
            body += try await socket.read(atMost: min(4_096, head.bodyLength - body.count))
        }
        return InspectorRequest(method: head.method, target: head.target, headers: head.headers, body: Data(body))
    }

    /// Discards bytes until the client has finished.
    ///
    /// If the socket closed at once, the client could lose the refusal.
    private func drain() async {
        _ = try? await within(Self.drainTimeout) {
            while true { _ = try await socket.read(atMost: 4_096) }
        }
    }

    /// Discards the bytes that have arrived, without waiting for more.
    ///
    /// The system resets a connection that is closed with bytes unread, and the client then loses the response.
    private func discardArrived() {
        for _ in 0..<16 {
            guard let bytes = try? socket.socket.read(atMost: 4_096), !bytes.isEmpty else { return }
        }
    }

    // MARK: Writing

    private func write(_ response: InspectorResponse) async throws {
        var lines = ["HTTP/1.1 \(response.status) \(Self.reason(of: response.status))", "Connection: close"]
        lines += response.headers.map { "\($0.name): \($0.value)" }
        switch response.body {
        case .data(let data):
            lines.append("Content-Length: \(data.count)")
            try await send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + data)
        case .stream(let stream):
            try await send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
            await write(stream)
        }
    }

    /// Writes `stream` until it ends, the client disconnects, or the task is cancelled.
    private func write(_ stream: InspectorEventStream) async {
        await withTaskGroup { group in
            group.addTask {
                for await event in stream {
                    do { try await send(event) } catch { return }
                }
            }
            group.addTask {
                // The client sends nothing more. The read fails when it disconnects.
                while let _ = try? await socket.read(atMost: 4_096) {}
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func send(_ data: Data) async throws {
        try await within(Self.writeTimeout) { try await socket.write(data) }
    }

    /// Runs `operation`, and cancels it after `duration`.
    private func within<Result: Sendable>(
        _ duration: Duration,
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let clock = clock
        return try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
                throw ClientTimeout()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw ClientTimeout() }
            return result
        }
    }

    /// Returns the reason phrase for a status code.
    private static func reason(of status: Int) -> String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 308: "Permanent Redirect"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500...: "Server Error"
        default: "Bad Request"
        }
    }
}
#endif
