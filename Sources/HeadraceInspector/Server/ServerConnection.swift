// SPDX-License-Identifier: Apache-2.0

#if Inspector
import HeadraceCore
import NIOCore
import NIOHTTP1

/// One connection: reads a request, writes the response, and closes the socket.
///
/// ``InspectorRoutes/Limits`` limit the size of the head and the body. Reading the request and each write have a timeout.
final class ServerConnection: Sendable {
    typealias Input = NIOAsyncChannelInboundStream<RequestCollector.Outcome>.AsyncIterator

    private static let readTimeout: Duration = .seconds(10)
    private static let writeTimeout: Duration = .seconds(10)
    private static let drainTimeout: Duration = .seconds(2)

    private let connection: NIOAsyncChannel<RequestCollector.Outcome, Never>
    private let routes: InspectorRoutes
    private let clock: any TimeSource

    /// Prepares `channel`, on its event loop.
    init(_ channel: any Channel, routes: InspectorRoutes, clock: any TimeSource) throws {
        // A client may close its side after the request.
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try RequestCollector.addHandlers(to: channel.pipeline.syncOperations, limits: routes.limits)
        connection = try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        self.routes = routes
        self.clock = clock
    }

    /// Closes a connection that was accepted but not served, because the server has stopped.
    deinit {
        channel.close(promise: nil)
    }

    private var channel: any Channel { connection.channel }

    /// Serves the request, and returns when the connection is closed.
    func serve() async {
        await withTaskCancellationHandler {
            // An error means that the client has disconnected or the server stops, so no response is possible.
            try? await connection.executeThenClose { input in
                var input = input.makeAsyncIterator()
                try await answer(&input)
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Refuses the client, because too many connections are open.
    func refuse() async {
        try? await connection.executeThenClose { _ in
            let headers: HTTPHeaders = ["Connection": "close", "Content-Length": "0", "Retry-After": "1"]
            channel.write(Self.head(503, headers), promise: nil)
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        }
    }

    private func answer(_ input: inout Input) async throws {
        switch try await readRequest(&input) {
        case .request(let request, let version):
            try await write(await routes.respond(to: request), version: version, &input)
        case .refusal(408, let message):
            try await write(.refusal(408, message), &input)
        case .refusal(let status, let message):
            try await write(.refusal(status, message), &input)
            try await drain(&input)
        case nil:
            return
        }
    }

    // MARK: Reading

    private func readRequest(_ input: inout Input) async throws -> RequestCollector.Outcome? {
        let channel = channel
        return try await within(Self.readTimeout) {
            channel.pipeline.fireUserInboundEventTriggered(RequestCollector.TimeLimitReached())
        } operation: {
            try await input.next(isolation: #isolation)
        }
    }

    /// Closes the output, and waits until the client has finished.
    ///
    /// If the socket closed at once, the client could lose the refusal.
    private func drain(_ input: inout Input) async throws {
        let channel = channel
        try await channel.close(mode: .output).get()
        try await within(Self.drainTimeout) {
            channel.close(promise: nil)
        } operation: {
            while try await input.next(isolation: #isolation) != nil {}
        }
    }

    // MARK: Writing

    private func write(
        _ response: InspectorResponse,
        version: HTTPVersion = .http1_1,
        _ input: inout Input
    ) async throws {
        var headers: HTTPHeaders = ["Connection": "close"]
        headers.add(contentsOf: response.headers.map { ($0.name, $0.value) })
        switch response.body {
        case .data(let data):
            headers.add(name: "Content-Length", value: "\(data.count)")
            try await send(
                Self.head(response.status, headers, version), .body(.byteBuffer(ByteBuffer(bytes: data))), .end(nil))
        case .stream(let events):
            try await send(Self.head(response.status, headers, version))
            try await write(events, &input)
        }
    }

    /// Writes `events` until they end, the client disconnects, or the task is cancelled.
    private func write(_ events: InspectorEventStream, _ input: inout Input) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                // Without output, the client is done, so the connection ends.
                defer { channel.close(promise: nil) }
                for await event in events { try await send(.body(.byteBuffer(ByteBuffer(bytes: event)))) }
            }
            defer { group.cancelAll() }
            // The client sends nothing more. The input ends when it disconnects.
            while try await input.next(isolation: #isolation) != nil {}
        }
    }

    /// Writes `parts`, and returns when the system has accepted them.
    private func send(_ parts: HTTPServerResponsePart...) async throws {
        let channel = channel
        try await within(Self.writeTimeout) {
            channel.close(promise: nil)
        } operation: {
            for part in parts.dropLast() { channel.write(part, promise: nil) }
            if let last = parts.last { try await channel.writeAndFlush(last).get() }
        }
    }

    private static func head(
        _ status: Int,
        _ headers: HTTPHeaders,
        _ version: HTTPVersion = .http1_1
    ) -> HTTPServerResponsePart {
        .head(HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: status), headers: headers))
    }

    /// Runs `operation`, and calls `expire` if it takes longer than `duration`.
    private nonisolated(nonsending) func within<Result>(
        _ duration: Duration,
        expire: @escaping @Sendable () -> Void,
        operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        let clock = clock
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
                expire()
            }
            defer { group.cancelAll() }
            return try await operation()
        }
    }
}
#endif
