// SPDX-License-Identifier: Apache-2.0

#if Inspector
import HeadraceCore
import NIOCore
import NIOPosix

/// Accepts and serves connections.
struct ServerLoop: Sendable {
    /// Maximum number of open connections.
    ///
    /// Further connections receive status 503.
    private static let connectionLimit = 64

    /// The port of the listening socket.
    let port: UInt16

    private let listener: NIOAsyncChannel<ServerConnection, Never>

    /// Listens on `port` of 127.0.0.1, or on a free port if `port` is 0.
    init(port: UInt16, routes: InspectorRoutes, clock: any TimeSource) async throws {
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: Int(port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ServerConnection(channel, routes: routes, clock: clock)
                }
            }
        self.port = listener.channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? port
    }

    /// Starts a task that serves until it is cancelled.
    ///
    /// The task belongs to the ``InspectorServer``, which cancels it when the server is stopped or released.
    func begin() -> Task<Void, Never> {
        Task { await serve() }
    }

    private func serve() async {
        let permits = Permits(Self.connectionLimit)
        try? await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    let permit = permits.tryAcquire()
                    group.addTask {
                        if permit == nil { return await connection.refuse() }
                        await connection.serve()
                        withExtendedLifetime(permit) {}
                    }
                }
            }
        }
    }
}
#endif
