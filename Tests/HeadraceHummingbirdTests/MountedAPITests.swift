// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Hummingbird
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct MountedAPITests {
    private static let api = MessageAPI([
        .post("reservations", command: ReserveSeat.self, errors: [BookingError.self]),
        .post("any/{id}", command: TakeAnySeat.self),
        .post("window", command: TakeWindowSeat.self),
        .post("cancellations/{id}", command: Cancel.self),
        .get("reservations/{id}", query: GetReservation.self),
        .get("rows/{row}", query: SeatsLeft.self),
        .get("echo/{name}/{date}/{large}/{id}", query: EchoQuery.self),
        .post("echo/{name}/{date}", command: EchoCommand.self),
    ])

    /// Returns a dispatcher whose requests the routes of `booking` answer.
    private func remote(
        _ booking: Booking,
        _ change: (inout RemoteDispatcher.Configuration) -> Void = { _ in },
        through transport: (RouterTransport) -> any MessageTransport = { $0 }
    ) throws -> RemoteDispatcher {
        booking.router.add(middleware: RequestMiddleware(booking.configuration))
        try booking.router.messages(of: booking.container, problems: booking.configuration.problems).mount(Self.api)
        var configuration = RemoteDispatcher.Configuration()
        configuration.backoff = Backoff(base: .zero)
        change(&configuration)
        return try RemoteDispatcher(
            Self.api, at: "http://localhost", through: transport(RouterTransport(client: booking.router.client)),
            configuration)
    }

    // MARK: Messages

    @Test func messagesAreDispatchedAsInOneProcess() async throws {
        let booking = try Booking()
        let remote = try remote(booking)

        try await remote.dispatch(ReserveSeat(id: UUID(), seat: 4, name: "Ada", until: .now))
        #expect(try await remote.dispatch(TakeAnySeat(id: UUID())) == 1)
        #expect(try await remote.dispatch(TakeWindowSeat()) == nil)
        #expect(try await remote.dispatch(GetReservation(id: UUID())) == nil)
        let left = try await remote.dispatch(SeatsLeft(row: 3, tag: ["a b", "é+&", ""]))

        #expect(booking.seats.taken == [1, 4])
        #expect(left == SeatsLeft.Value(row: 3, tags: ["a b", "é+&", ""], left: 8, principal: nil))
    }

    @Test func eachValueArrivesAsItWasSent() async throws {
        let remote = try remote(try Booking())
        var generator = SeededGenerator(seed: 43)
        for _ in 0..<300 {
            let members = Members(using: &generator)
            let (queried, commanded) = (
                try await remote.dispatch(EchoQuery(members: members)),
                try await remote.dispatch(EchoCommand(members: members))
            )
            #expect(queried == members)
            #expect(commanded == members)
        }
    }

    @Test func aDeclaredErrorIsThrownByTheClientWithTheStatusOfTheTable() async throws {
        let booking = try Booking()
        let transports = Mutex<[RouterTransport]>([])
        let remote = try remote(
            booking,
            through: { transport in
                transports.withLock { $0.append(transport) }; return transport
            })

        try await remote.dispatch(ReserveSeat(id: UUID(), seat: 4, name: "Ada"))
        await #expect(throws: BookingError(code: .taken)) {
            try await remote.dispatch(ReserveSeat(id: UUID(), seat: 4, name: "Bob"))
        }
        // It has no rule in the table.
        await #expect(throws: BookingError(code: .secret)) {
            try await remote.dispatch(ReserveSeat(id: UUID(), seat: 5, name: "nobody"))
        }

        let transport = try #require(transports.withLock { $0.first })
        #expect(transport.statuses == [204, 409, 422])
    }

    @Test func anInvalidMessageIsARemoteErrorWithItsFailures() async throws {
        let remote = try remote(try Booking())

        let error = await #expect(throws: RemoteError.self) {
            try await remote.dispatch(ReserveSeat(id: UUID(), seat: 0, name: ""))
        }

        #expect(error?.failures.map(\.path) == ["seat", "name"])
    }

    // MARK: Versions

    @Test func aClientOfAnEarlierVersionWorksWithTheServer() async throws {
        let booking = try Booking()
        _ = try remote(booking)
        let api = MessageAPI([.post("cancellations/{id}", command: EarlierCancel.self)])
        let remote = try RemoteDispatcher(
            api, at: "http://localhost", through: RouterTransport(client: booking.router.client))
        let id = UUID()

        #expect(
            try await remote.dispatch(EarlierCancel(id: id, at: Date(timeIntervalSince1970: 8.5))) == "\(id) 8.5")
    }

    @Test(arguments: [(1, "olderVersion", "client"), (4, "newerVersion", "server")])
    func aVersionThatTheServerDoesNotKnowIsAnErrorThatNamesTheOlderSide(
        version: Int, code: String, side: String
    ) async throws {
        let booking = try Booking()
        _ = try remote(booking)

        let answer = try await booking.router.client.send(
            .post, "/cancellations/\(UUID())", #"{"date": 8}"#,
            headers: [try #require(HTTPField.Name("Headrace-Version")): "\(version)"])

        #expect(answer.status == 422)
        #expect(answer.text.contains(code))
        #expect(answer.text.contains("update the \(side)"))
    }

    @Test(arguments: ["", "0", "-1", "1.5", "99999999999999999999", "a"])
    func aVersionThatIsNoneIsRefused(field: String) async throws {
        let booking = try Booking()
        _ = try remote(booking)

        let answer = try await booking.router.client.send(
            .post, "/cancellations/\(UUID())", #"{"date": 8}"#,
            headers: [try #require(HTTPField.Name("Headrace-Version")): field])

        #expect(answer.status == 400)
    }

    @Test(arguments: ["", "[]", "{", "null", #"{"at": "soon"}"#, #"{"date": 8}"#])
    func aCommandOfAnEarlierVersionThatIsNoneIsRefusedAsBadInput(body: String) async throws {
        let booking = try Booking()
        _ = try remote(booking)

        let answer = try await booking.router.client.send(
            .post, "/cancellations/\(UUID())", body,
            headers: [try #require(HTTPField.Name("Headrace-Version")): "2"])

        #expect([400, 422].contains(answer.status), "\(answer.status) \(answer.text)")
    }

    @Test func aClientWithoutVersionsSendsTheJSONOfTheAPI() async throws {
        let booking = try Booking()
        _ = try remote(booking)
        let id = UUID()

        let answer = try await booking.router.client.send(
            .post, "/cancellations/\(id)", #"{"date": "1970-01-01T00:00:08.500Z"}"#)

        #expect(answer.text == "\"\(id) 8.5\"")
    }

    @Test func migrationsWithAGapAreRefusedAtTheStart() {
        let api = MessageAPI([.post("a", command: Gap.self)])

        #expect(throws: MessageAPIError.self) { try api.validate() }
    }

    // MARK: Lost answers

    @Test(arguments: 1...3)
    func aCommandWhoseAnswersAreLostTakesEffectOnce(lost: Int) async throws {
        let booking = try Booking()
        let remote = try remote(booking, through: { LossyTransport(base: $0, lost: lost) })

        #expect(try await remote.dispatch(TakeAnySeat(id: UUID())) == 1)

        #expect(booking.seats.taken == [1])
    }

    @Test func aKeyOfOneUserNeverAnswersAnother() async throws {
        let booking = try Booking()
        let user = Mutex("ada")
        let id = UUID()
        let remote = try remote(booking, { $0.token = { user.withLock { $0 } } })

        let seats = try await RemoteDispatcher.withKey("1") {
            let first = try await remote.dispatch(TakeAnySeat(id: id))
            let second = try await remote.dispatch(TakeAnySeat(id: id))
            user.withLock { $0 = "bob" }
            return [first, second, try await remote.dispatch(TakeAnySeat(id: id))]
        }

        #expect(seats == [1, 1, 2])
    }

    // MARK: The chain of causes

    @Test(arguments: [true, false])
    func theChainOfTheClientContinuesOnTheServerIfTheClientIsAUser(isUser: Bool) async throws {
        var booking = try Booking()
        let recorder = MessageRecorder()
        booking.configuration.observers = [recorder]
        let remote = try remote(booking, { $0.token = { isUser ? "ada" : nil } })

        let chain = try await withRootMessage(Tap()) { _ in
            try await remote.dispatch(TakeAnySeat(id: UUID()))
            return try #require(MessageContext.current).correlationID
        }

        let request = try #require(recorder.contexts.first { $0.kind == .request })
        #expect((request.correlationID == chain) == isUser)
        #expect((request.causationID != nil) == isUser)
    }

    @Test func theDeadlineOfTheClientIsTheDeadlineOfTheMessage() async throws {
        let booking = try Booking()
        let answer = try await {
            _ = try remote(booking)
            return try await booking.router.client.send(
                .post, "/any/\(UUID())", "{}", headers: [try #require(HTTPField.Name("Headrace-Time-Limit")): "0"])
        }()

        #expect(answer.status == 504)
        #expect(booking.seats.taken == [])
    }

    // MARK: Declarations

    @Test func aDeclarationThatCanNotWorkIsRefusedAtTheStartWithAllReasons() throws {
        let api = MessageAPI([
            .post("a/{id}", command: Cancel.self),
            .post("/a/{date}/", command: TakeAnySeat.self),
            .get("{row}/{row}", query: SeatsLeft.self),
            .put("ü", command: TakeAnySeat.self),
        ])

        let error = #expect(throws: MessageAPIError.self) { try api.validate() }

        #expect(
            error?.problems == [
                "Another route has the method and the path of 'POST /a/{date}'.",
                "'POST /a/{date}' has '{date}' where another route has '{id}'.",
                "'HeadraceHummingbirdTests.TakeAnySeat' has no member for '{date}' of 'POST /a/{date}'.",
                "The path of 'GET /{row}/{row}' has two parameters of one name.",
                "The path of 'PUT /ü' has the segment 'ü', which needs other characters than letters, digits, '-', '.', '_', and '~'.",
                "'HeadraceHummingbirdTests.TakeAnySeat' has another route than 'PUT /ü'.",
            ])
    }

    @Test func aMessageWithoutAHandlerAndCommandsWithoutKeysAreRefusedAtTheStart() throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [TakeAnySeatHandler.self])
        let api = MessageAPI([.post("a", command: Unhandled.self), .post("b", command: TakeAnySeat.self)])

        let error = #expect(throws: MessageAPIError.self) {
            try Router().messages(of: builder.build()).mount(api)
        }

        #expect(error?.problems.count == 2)
        #expect(error?.message.contains("IdempotencyMiddleware") == true)
    }

    @Test func aLiveQueryWithoutAStoreThatTellsItsCommitsIsRefusedAtTheStart() throws {
        let builder = ContainerBuilder()
        builder.singleton(Seats.self) { _ in Seats() }
        builder.commandQueryDispatch().standard(queryHandlers: [SeatsLeftHandler.self])

        let error = #expect(throws: MessageAPIError.self) {
            try Router().messages(of: builder.build()).mount(MessageAPI([.live("rows/{row}", query: SeatsLeft.self)]))
        }

        #expect(error?.problems.count == 1)
        #expect(error?.message.contains("GET /rows/{row}") == true)
    }

    @Test(arguments: ["", "localhost", "ftp://a", "https://", "https://a?b", "https://a#b", "https://user@a"])
    func aTextThatIsNoAddressIsRefused(address: String) throws {
        #expect(throws: MessageAPIError.self) {
            try RemoteDispatcher(Self.api, at: address, through: RouterTransport(client: Router().client))
        }
    }
}

private struct Tap: Sendable {}

/// ``Cancel`` in an app that was installed before.
private struct EarlierCancel: CQDCommand, DurableCommand {
    typealias Output = String
    static let commandName = "cancel"
    static let commandVersion = 2

    // An earlier program had a migration, too.
    static let commandMigrations = [JSONMigration(from: 1) { _ in }]

    var id: UUID
    var at: Date
}

private struct Gap: CQDCommand, DurableCommand {
    static let commandName = "gap"
    static let commandVersion = 3
    static let commandMigrations = [JSONMigration(from: 1) { _ in }]
}

private struct Unhandled: CQDCommand, Codable {}

/// Sends requests to the routes of a router, without a connection.
final class RouterTransport: MessageTransport {
    private let client: Client<RouterResponder<BasicRequestContext>>
    private let received = Mutex<[Int]>([])

    init(client: Client<RouterResponder<BasicRequestContext>>) {
        self.client = client
    }

    var statuses: [Int] { received.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        var request = request
        // The tests' users have their names as tokens.
        if let token = request.headerFields[.authorization] {
            request.headerFields[.authorization] = String(token.dropFirst(7))
        }
        // The server must not find the values of the client's task.
        let (client, sent) = (client, request)
        let answer = try await Task.detached { try await client.send(sent, ByteBuffer(bytes: body ?? Data())) }.value
        received.withLock { $0.append(answer.status) }
        return TransportResponse(
            HTTPResponse(status: .init(code: answer.status), headerFields: answer.headers), body: Data(answer.text.utf8)
        )
    }
}

/// Loses the first answers of a server, which has handled the requests.
private final class LossyTransport: MessageTransport {
    struct Lost: Error {}

    private let base: RouterTransport
    private let lost: Mutex<Int>

    init(base: RouterTransport, lost: Int) {
        self.base = base
        self.lost = Mutex(lost)
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        let response = try await base.send(request, body: body)
        let isLost = lost.withLock { lost in
            lost -= 1
            return lost >= 0
        }
        if isLost { throw Lost() }
        return response
    }
}

/// Keeps the contexts of all messages.
private final class MessageRecorder: MessageObserver {
    private let kept = Mutex<[MessageContext]>([])

    var contexts: [MessageContext] { kept.withLock { $0 } }

    func messageBegan(_ context: MessageContext) { kept.withLock { $0.append(context) } }
    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}
}
#endif
