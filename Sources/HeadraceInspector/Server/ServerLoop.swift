//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import FlyingFox
import FlyingSocks
import Foundation
import HeadraceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Accepts and serves connections on sockets of FlyingFox.
///
/// FlyingFox has a server, too. That server has no limits on line lengths, idle connections, and the number of connections, so
/// a client without the token could exhaust the memory.
struct ServerLoop: Sendable {
    /// Maximum number of open connections.
    ///
    /// Further connections receive status 503.
    private static let connectionLimit = 64

    /// Time before the next attempt to accept a connection after a failure.
    private static let pause: Duration = .milliseconds(100)

    /// The port of the listening socket.
    let port: UInt16

    private let listener: AsyncSocket
    private let pool: ServerPool
    private let routes: InspectorRoutes
    private let clock: any TimeSource

    /// Listens on `port` of 127.0.0.1, or on a free port if `port` is 0.
    init(port: UInt16, routes: InspectorRoutes, clock: any TimeSource) async throws {
        let pool = ServerPool()
        try await pool.sockets.prepare()
        let socket = try Socket(domain: AF_INET)
        do {
            try socket.setValue(true, for: .localAddressReuse)
            try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: port))
            try socket.listen()
            guard case .ip4(_, let bound) = try socket.sockname() else { throw SocketError.unsupportedAddress }
            self.port = bound
            listener = try pool.open(socket)
        } catch {
            try? socket.close()
            throw error
        }
        self.pool = pool
        self.routes = routes
        self.clock = clock
    }

    /// Starts a task that serves until it is cancelled.
    ///
    /// The task belongs to the ``InspectorServer``, which cancels it when the server is stopped or released.
    func begin() -> Task<Void, Never> {
        Task { await serve() }
    }

    private func serve() async {
        await withTaskGroup { group in
            group.addTask { _ = try? await pool.sockets.run() }
            group.addTask { await accept() }
            await group.next()
            group.cancelAll()
        }
        try? listener.close()
    }

    private func accept() async {
        let permits = Permits(Self.connectionLimit)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let socket = try await listener.accept()
                    guard let permit = permits.tryAcquire() else {
                        refuse(socket)
                        continue
                    }
                    let connection = ServerConnection(socket: socket, pool: pool, routes: routes, clock: clock)
                    group.addTask {
                        await connection.serve()
                        withExtendedLifetime(permit) {}
                    }
                } catch is CancellationError {
                    return
                } catch {
                    // The client has already disconnected, or too many files are open.
                    try? await clock.sleep(until: clock.now.advanced(by: Self.pause), tolerance: nil)
                }
            }
        }
    }

    private func refuse(_ socket: AsyncSocket) {
        let text = "HTTP/1.1 503 Server Error\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"
        _ = try? socket.socket.write(Data(text.utf8))
        try? socket.close()
    }
}
#endif
