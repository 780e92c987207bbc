//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import LedgerServer

/// A receiver of webhooks that refuses the first attempt of each event.
final class Receiver: Sendable {
    struct Request: Sendable {
        let key: String?
        let body: String
    }

    private let requests = Mutex<[Request]>([])

    var all: [Request] { requests.withLock(\.self) }

    func take(_ request: Request) -> HTTPResponse.Status {
        requests.withLock { requests in
            let isFirst = !requests.contains { $0.key == request.key }
            requests.append(request)
            return isFirst ? .internalServerError : .noContent
        }
    }

    /// Runs the receiver while `body` runs.
    func serving<Value: Sendable>(_ body: @Sendable @escaping (URL) async throws -> Value) async throws -> Value {
        let router = Router()
        router.post("hook") { request, _ in
            let key = request.headers[HTTPField.Name.idempotencyKey]
            let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
            return self.take(Request(key: key, body: text))
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
