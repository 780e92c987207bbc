// SPDX-License-Identifier: Apache-2.0

import HeadraceClient
import HeadraceCommands
import HeadraceDomain
import HeadraceHummingbird
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Hummingbird
import Logging

struct Reservation: Codable {
    let seat: Int
    let guest: String
}

struct ReserveSeat: CQDCommand, Codable {
    typealias Output = Reservation

    let seat: Int
    let guest: String
}

struct ReserveSeatHandler: HandlesCommand, Resolvable {
    init(scope: borrowing any DependencyResolutionScope) {}

    func handle(_ command: ReserveSeat) async throws -> Reservation {
        Reservation(seat: command.seat, guest: command.guest)
    }
}

struct SeatsLeft: CQDQuery, Codable {
    typealias Value = Int

    let row: Int
}

struct SeatsLeftHandler: HandlesQuery, Resolvable {
    init(scope: borrowing any DependencyResolutionScope) {}

    func handle(_ query: SeatsLeft) async throws -> Int { query.row }
}

enum Seats {
    static let api = MessageAPI([
        .put("seats/{seat}", command: ReserveSeat.self),
        .get("rows/{row}", query: SeatsLeft.self),
    ])
}

/// A server whose handlers do nothing, on a free port, until the program ends.
enum SeatServer {
    static var address: String {
        get async throws { try await server.value }
    }

    private static let server = Task {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: []))
        builder.commandQueryDispatch().standard(
            commandHandlers: [ReserveSeatHandler.self],
            queryHandlers: [SeatsLeftHandler.self],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        let router = Router()
        router.addMiddleware {
            RequestMiddleware()
            IdempotencyKeyMiddleware()
        }
        try router.messages(of: builder.build()).mount(Seats.api)
        let (ports, port) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "seats")
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        Task { try await application.run() }
        for await port in ports { return "http://127.0.0.1:\(port)" }
        throw CancellationError()
    }
}
