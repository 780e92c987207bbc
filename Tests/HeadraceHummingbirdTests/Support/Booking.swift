// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Hummingbird
import Logging
import Synchronization

/// The seats of an event.
final class Seats: Sendable {
    private let seats = Mutex<[Int: UUID]>([:])

    /// Opened to let a reservation of the seat 99 continue.
    let gate = Gate()

    /// Number of long texts that were made for a stream.
    let texts = Mutex(0)

    /// Opened when the stream of long texts is released.
    let textsEnded = Gate()

    var taken: [Int] { seats.withLock { $0.keys.sorted() } }
    func take(_ seat: Int, for id: UUID) -> Bool {
        seats.withLock { seats in
            if seats[seat] != nil { return false }
            seats[seat] = id
            return true
        }
    }
}

struct BookingError: CodedError, Codable, Equatable {
    enum Code: String, Codable { case taken, secret }

    let code: Code
    var message: String { "The seat is taken. To fix, choose another seat." }
}

struct ReserveSeat: CQDCommand, Codable, Validatable {
    var id: UUID
    var seat: Int
    var name: String
    var until: Date?

    func validate(_ validation: inout Validation) {
        validation.require(seat > 0, "seat", "must be positive")
        validation.require(!name.isEmpty, "name", "must not be empty")
    }
}

final class ReserveSeatHandler: HandlesCommand, Resolvable {
    private let seats: Seats

    init(scope: any DependencyResolutionScope) { seats = scope.resolve() }

    func handle(_ command: ReserveSeat) async throws {
        if command.seat == 99 { await seats.gate.pass() }
        if command.name == "nobody" { throw BookingError(code: .secret) }
        guard seats.take(command.seat, for: command.id) else { throw BookingError(code: .taken) }
    }
}

/// Takes any free seat, and returns its number.
struct TakeAnySeat: CQDCommand, Codable {
    typealias Output = Int
    var id: UUID
}

final class TakeAnySeatHandler: HandlesCommand, Resolvable {
    private let seats: Seats

    init(scope: any DependencyResolutionScope) { seats = scope.resolve() }

    func handle(_ command: TakeAnySeat) async throws -> Int {
        guard let seat = (1...10).first(where: { seats.take($0, for: command.id) }) else {
            throw BookingError(code: .taken)
        }
        return seat
    }
}

/// Takes a seat by the window, of which there is none.
struct TakeWindowSeat: CQDCommand, Codable {
    typealias Output = Int?
}

final class TakeWindowSeatHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: TakeWindowSeat) async throws -> Int? { nil }
}

/// Cancels a reservation; in its first version, the time was the member `at`.
struct Cancel: CQDCommand, DurableCommand {
    typealias Output = String
    static let commandName = "cancel"
    static let commandVersion = 3
    static let commandMigrations = [JSONMigration(from: 2) { $0["date"] = $0.removeValue(forKey: "at") }]

    var id: UUID
    var date: Date
}

final class CancelHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Cancel) async throws -> String { "\(command.id) \(command.date.timeIntervalSince1970)" }
}

struct SeatsLeft: CQDQuery, Codable {
    struct Value: Codable, Equatable {
        var row: Int
        var tags: [String]
        var left: Int
        var principal: String?
    }

    var row: Int
    var tag: [String]?
}

final class SeatsLeftHandler: HandlesQuery, Resolvable {
    private let seats: Seats

    init(scope: any DependencyResolutionScope) { seats = scope.resolve() }

    /// The row 99 is closed after the first reservation.
    func handle(_ query: SeatsLeft) async throws -> SeatsLeft.Value {
        if query.row == 99, !seats.taken.isEmpty { throw BookingError(code: .taken) }
        return SeatsLeft.Value(
            row: query.row,
            tags: query.tag ?? [],
            left: 10 - seats.taken.count,
            principal: MessageContext.current?.principal?.principalID
        )
    }
}

struct GetReservation: CQDQuery, Codable {
    typealias Value = String?
    var id: UUID
}

final class GetReservationHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetReservation) async throws -> String? { nil }
}

struct ListSeats: CQDStreamQuery, Codable {
    typealias Element = Int
    var count: Int
    var failsAfter: Int?
}

final class ListSeatsHandler: HandlesStreamQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: ListSeats) async throws -> QueryStream<Int> {
        var next = 0
        return QueryStream {
            if next == query.failsAfter { throw BookingError(code: .taken) }
            next += 1
            return next > query.count ? nil : next
        }
    }
}

/// A stream of long texts.
struct LongTexts: CQDStreamQuery, Codable {
    typealias Element = String
    static let count = 10_000
    static let length = 10_000
}

final class LongTextsHandler: HandlesStreamQuery, Resolvable {
    private let seats: Seats

    init(scope: any DependencyResolutionScope) { seats = scope.resolve() }
    deinit { seats.textsEnded.open() }

    func handle(_ query: LongTexts) async throws -> QueryStream<String> {
        let text = String(repeating: "a", count: LongTexts.length)
        return QueryStream {
            let number = self.seats.texts.withLock { number in
                number += 1
                return number
            }
            return number > LongTexts.count ? nil : text
        }
    }
}

struct User: Principal {
    let principalID: String
}

/// A service that books seats, with all routes.
struct Booking {
    let seats = Seats()
    let router = Router()
    let container: Container
    let store: InMemoryStore
    var configuration = RequestMiddleware<BasicRequestContext>.Configuration()

    init() throws {
        let (seats, store) = (seats, try InMemoryStore(entities: []))
        let builder = ContainerBuilder()
        builder.singleton(Seats.self) { _ in seats }
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(
            commandHandlers: [
                ReserveSeatHandler.self, TakeAnySeatHandler.self, TakeWindowSeatHandler.self, EchoCommandHandler.self,
                CancelHandler.self,
            ],
            queryHandlers: [SeatsLeftHandler.self, GetReservationHandler.self, EchoQueryHandler.self],
            streamHandlers: [ListSeatsHandler.self, LongTextsHandler.self],
            middleware: [ValidationMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        self.store = store
        container = builder.build()
        configuration.problems.add(BookingError.self) {
            $0.code == .taken ? Problem(.conflict, code: "taken", $0.message) : nil
        }
        configuration.principal = { request, _ in
            request.headers[.authorization].map { User(principalID: $0) }
        }
    }

    /// Adds the middleware and all routes.
    func addRoutes(
        limits: RequestLimits = RequestLimits(),
        middleware: [any MiddlewareProtocol<Request, Response, BasicRequestContext>] = [],
        clock: any TimeSource = ContinuousClock()
    ) {
        router.add(middleware: RequestMiddleware(configuration))
        for one in middleware { router.add(middleware: one) }
        router.add(middleware: IdempotencyKeyMiddleware())
        let messages = router.messages(of: container, limits: limits, problems: configuration.problems, clock: clock)
        messages.post("reservations", command: ReserveSeat.self)
        messages.put("reservations/{id}", command: ReserveSeat.self, response: .created { "/reservations/\($0.id)" })
        messages.post("any", command: TakeAnySeat.self)
        messages.put("any", command: TakeAnySeat.self, response: .created { _, seat in "/seats/\(seat)" })
        messages.patch("any", command: TakeAnySeat.self, response: .accepted)
        messages.delete("any", command: TakeAnySeat.self, response: .noContent)
        messages.get("reservations/{id}", query: GetReservation.self)
        messages.get("rows/{row}", query: SeatsLeft.self)
        messages.get("seats", stream: ListSeats.self)
    }
}
#endif
