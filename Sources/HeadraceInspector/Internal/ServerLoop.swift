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

/// Listens, and serves each connection, on sockets of FlyingFox.
///
/// Its sockets and not its server: that one reads a line however long it is, keeps a connection that sends nothing, and
/// counts none. Nothing here may be made to grow by who has not shown the token yet.
struct ServerLoop: Sendable {
    /// How many connections there are at a time; the next ones are told so and closed.
    private static let connectionLimit = 64

    /// How long it waits where the system has no room for another connection.
    private static let pause: Duration = .milliseconds(100)

    /// Where it listens.
    let port: UInt16

    private let listener: AsyncSocket
    private let pool: ServerPool
    private let routes: InspectorRoutes
    private let clock: any TimeSource

    /// Listens on `port` of 127.0.0.1; 0 for one that is free.
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

    /// Begins to serve, until the task is cancelled.
    ///
    /// Why a task of its own is right here: it belongs to the ``InspectorServer``, which cancels it when it is stopped
    /// or released.
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
        let tickets = Ticket.Office(limit: Self.connectionLimit)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let socket = try await listener.accept()
                    guard let ticket = tickets.take() else {
                        refuse(socket)
                        continue
                    }
                    let connection = ServerConnection(socket: socket, pool: pool, routes: routes, clock: clock)
                    group.addTask {
                        await connection.serve()
                        withExtendedLifetime(ticket) {}
                    }
                } catch is CancellationError {
                    return
                } catch {
                    // A client that is gone already, or too many open files: the next one may be luckier.
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
