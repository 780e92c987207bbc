// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceHummingbird
import HeadraceResolution
import HeadraceTesting
import Hummingbird
import Synchronization
import Testing

/// A client and a server with a connection between them.
@Suite(.timeLimit(.minutes(2))) struct LiveClientTests {
    private static let api = MessageAPI([
        .post("any", command: TakeAnySeat.self),
        .post("reservations", command: ReserveSeat.self),
        .live("rows/{row}", query: SeatsLeft.self, errors: [BookingError.self]),
        .get("seats", stream: ListSeats.self, errors: [BookingError.self]),
        .get("texts", stream: LongTexts.self),
    ])

    enum Transport: CaseIterable {
        case urlSession
        #if AsyncHTTPClient
        case asyncHTTPClient
        #endif

        func make() -> any MessageTransport {
            switch self {
            case .urlSession: URLSessionTransport()
            #if AsyncHTTPClient
            case .asyncHTTPClient: AsyncHTTPClientTransport()
            #endif
            }
        }
    }

    /// Runs `body` with a dispatcher for a server with the routes of `booking`, and further routes.
    private func with<Value: Sendable>(
        _ booking: Booking,
        through transport: Transport,
        _ change: @escaping @Sendable (inout RemoteDispatcher.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (RemoteDispatcher) async throws -> Value
    ) async throws -> Value {
        booking.router.add(middleware: RequestMiddleware(booking.configuration))
        booking.router.get("moved/rows/{row}") { _, _ in Response.redirect(to: "/rows/1", type: .permanent) }
        try booking.router.messages(of: booking.container, problems: booking.configuration.problems).mount(Self.api)
        return try await LiveServer.with(booking.router) { port in
            var configuration = RemoteDispatcher.Configuration()
            configuration.backoff = Backoff(base: .zero)
            change(&configuration)
            let path = configuration.responseLength == 1_000 ? "/moved" : ""
            return try await body(
                try RemoteDispatcher(
                    Self.api, at: "http://127.0.0.1:\(port)\(path)", through: transport.make(), configuration))
        }
    }

    @Test(arguments: Transport.allCases)
    func messagesAreDispatchedOverAConnection(through transport: Transport) async throws {
        let booking = try Booking()

        try await with(booking, through: transport, { $0.token = { "ada" } }) { remote in
            #expect(try await remote.dispatch(TakeAnySeat(id: UUID())) == 1)
            #expect(
                try await remote.dispatch(SeatsLeft(row: 3, tag: ["é&"]))
                    == SeatsLeft.Value(row: 3, tags: ["é&"], left: 9, principal: "Bearer ada"))
            var numbers: [Int] = []
            for try await number in try await remote.dispatch(ListSeats(count: 3)) { numbers.append(number) }
            #expect(numbers == [1, 2, 3])
        }
    }

    @Test(arguments: Transport.allCases)
    func anObservedValueFollowsTheCommandsOfOtherClients(through transport: Transport) async throws {
        try await with(try Booking(), through: transport, { $0.token = { "ada" } }) { remote in
            var values = remote.observe(SeatsLeft(row: 3)).makeAsyncIterator()
            for left in stride(from: 10, to: 5, by: -1) {
                let value = try await values.next()
                #expect(value?.left == left)
                #expect(value?.principal == "Bearer ada")
                _ = try await remote.dispatch(TakeAnySeat(id: UUID()))
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func anErrorAfterTheFirstValueEndsTheObservationWithItsType(through transport: Transport) async throws {
        try await with(try Booking(), through: transport) { remote in
            var values = remote.observe(SeatsLeft(row: 99)).makeAsyncIterator()
            #expect(try await values.next()?.left == 10)

            _ = try await remote.dispatch(TakeAnySeat(id: UUID()))

            await #expect(throws: BookingError(code: .taken)) { _ = try await values.next() }
            // The error of the first evaluation is the response.
            var others = remote.observe(SeatsLeft(row: 99)).makeAsyncIterator()
            await #expect(throws: BookingError(code: .taken)) { _ = try await others.next() }
        }
    }

    @Test(arguments: [0, 2], Transport.allCases)
    func aDeclaredErrorOfAStreamIsThrownByTheClient(failsAfter: Int, through transport: Transport) async throws {
        try await with(try Booking(), through: transport) { remote in
            var numbers: [Int] = []
            await #expect(throws: BookingError(code: .taken)) {
                for try await number in try await remote.dispatch(ListSeats(count: 3, failsAfter: failsAfter)) {
                    numbers.append(number)
                }
            }
            #expect(numbers == Array([1, 2, 3].prefix(failsAfter)))
        }
    }

    @Test(arguments: Transport.allCases)
    func aRedirectionIsNotFollowedWithTheToken(through transport: Transport) async throws {
        let error = await #expect(throws: RemoteError.self) {
            try await with(try Booking(), through: transport, { $0.responseLength = 1_000 }) { remote in
                _ = try await remote.dispatch(SeatsLeft(row: 3))
            }
        }

        #expect(error?.status?.code == 301)
    }

    @Test(arguments: Transport.allCases)
    func aStreamThatNobodyReadsStopsTheServerAndItsEndReleasesTheHandler(through transport: Transport) async throws {
        let booking = try Booking()
        let seats = booking.seats

        try await with(booking, through: transport) { remote in
            var iterator: QueryStream<String>.AsyncIterator? = try await remote.dispatch(LongTexts())
                .makeAsyncIterator()
            #expect(try await iterator?.next()?.count == LongTexts.length)
            // The server makes texts until the buffers on the way are full.
            var made = 0
            while made < seats.texts.withLock({ $0 }) {
                made = seats.texts.withLock { $0 }
                for _ in 1...100 { _ = try await remote.dispatch(SeatsLeft(row: 3)) }
            }
            #expect(seats.texts.withLock { $0 } < LongTexts.count)
            #expect(try await iterator?.next()?.count == LongTexts.length)
            iterator = nil
            await seats.textsEnded.pass()
        }
    }

    @Test(arguments: Transport.allCases)
    func aServerThatIsAbsentIsUnreachable(through transport: Transport) async throws {
        let port = try await LiveServer.with(Router()) { $0 }
        var configuration = RemoteDispatcher.Configuration()
        configuration.backoff = Backoff(base: .zero)
        let remote = try RemoteDispatcher(
            Self.api, at: "http://127.0.0.1:\(port)", through: transport.make(), configuration)

        let error = await #expect(throws: RemoteError.self) { try await remote.dispatch(TakeAnySeat(id: UUID())) }

        #expect(error?.code == "unreachable")
        #expect(error?.mayHaveTakenEffect == true)
    }

    @Test(arguments: Transport.allCases)
    func aCancelledTaskClosesItsRequest(through transport: Transport) async throws {
        let booking = try Booking()
        let seats = booking.seats
        try await with(booking, through: transport) { remote in
            let task = Task { try await remote.dispatch(ReserveSeat(id: UUID(), seat: 99, name: "Ada")) }
            await seats.gate.arrivals(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            seats.gate.open()
        }
    }
}
#endif
