// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import LedgerServer

/// A receiver of webhooks.
final class Receiver: Sendable {
    struct Request: Sendable {
        let key: String?
        let contentType: String?
        let authorization: String?
        let body: String
    }

    private let requests = Mutex<[Request]>([])
    private let arrivals = AsyncStream<Void>.makeStream()
    private let respond: @Sendable (_ request: Request, _ earlier: [Request]) async throws -> Response

    /// Creates a receiver that refuses the first attempt of each event.
    convenience init() {
        self.init { request, earlier in
            Response(status: earlier.contains { $0.key == request.key } ? .noContent : .internalServerError)
        }
    }

    /// Creates a receiver that responds to a request, after the earlier ones, by `respond`.
    init(respond: @escaping @Sendable (_ request: Request, _ earlier: [Request]) async throws -> Response) {
        self.respond = respond
    }

    var all: [Request] { requests.withLock(\.self) }

    /// Waits for the next request.
    ///
    /// Only one task can wait.
    func nextRequest() async {
        var iterator = arrivals.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    private func take(_ request: Request) -> [Request] {
        requests.withLock { requests in
            defer { requests.append(request) }
            return requests
        }
    }

    /// Runs the receiver while `body` runs.
    func serving<Value: Sendable>(_ body: @Sendable @escaping (URL) async throws -> Value) async throws -> Value {
        let router = Router()
        router.post("hook") { message, _ in
            let request = Request(
                key: message.headers[.named("Idempotency-Key")],
                contentType: message.headers[.contentType],
                authorization: message.headers[.authorization],
                body: String(buffer: try await message.body.collect(upTo: 1 << 20))
            )
            let earlier = self.take(request)
            self.arrivals.continuation.yield()
            return try await self.respond(request, earlier)
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        var quiet = Logger(label: "receiver")
        quiet.logLevel = .critical
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: quiet
        )
        let group = ServiceGroup(services: [application], logger: quiet)
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return nil
            }
            var iterator = ports.makeAsyncIterator()
            guard let number = await iterator.next(), let url = URL(string: "http://127.0.0.1:\(number)/hook") else {
                throw CancellationError()
            }
            defer { tasks.cancelAll() }
            return try await body(url)
        }
    }
}
#endif
