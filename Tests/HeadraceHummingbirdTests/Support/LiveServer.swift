// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Hummingbird

/// A server on a free port.
enum LiveServer {
    /// Runs `router` while `body` runs.
    static func with<Value: Sendable>(
        _ router: Router<BasicRequestContext>,
        _ body: @escaping @Sendable (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }
        )
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                try await application.run()
                return nil
            }
            tasks.addTask {
                for await port in ports { return try await body(port) }
                return nil
            }
            defer { tasks.cancelAll() }
            while let value = try await tasks.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
#endif
