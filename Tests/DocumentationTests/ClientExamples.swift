// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import Hummingbird
import Testing

private struct ReserveSeat: CQDCommand, Codable {
    var event: UUID
    var seat: Int
}

private struct SeatsLeft: CQDQuery, Codable {
    typealias Value = Int
    var event: UUID
}

private struct ListReservations: CQDStreamQuery, Codable {
    typealias Element = Int
}

private struct BookingError: CodedError, Codable {
    enum Code: String, Codable, CaseIterable { case soldOut }

    let code: Code
    let message: String
}

private final class ReserveSeatHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: ReserveSeat) async throws {}
}

private final class SeatsLeftHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: SeatsLeft) async throws -> Int { 0 }
}

private final class ListReservationsHandler: HandlesStreamQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: ListReservations) async throws -> QueryStream<Int> { QueryStream { nil } }
}

private struct Badge {
    var text = ""
    var count = 0
}

struct RenameNote: OfflineCommand {
    static let commandName = "rename-note"
    let note: UUID
    let title: String

    var orderKey: String { note.uuidString }
}

private final class Note: StoredEntity {
    static let entityName = "note"

    let id: UUID
    var title: String
    var raisedEvents = RaisedEvents()

    init(_ value: ListNotes.Note) {
        id = value.id
        title = value.title
    }
}

private struct ListNotes: CQDQuery, Codable {
    struct Note: Codable {
        var id: UUID
        var title: String
    }

    typealias Value = [Note]
}

private final class RenameNoteHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) { unitOfWork = scope.resolve() }

    func handle(_ command: RenameNote) async throws {
        try await unitOfWork.execute { context in
            let known = try await context.find(Note.self, id: command.note)
            let note = known ?? Note(ListNotes.Note(id: command.note, title: ""))
            context.insert(note)
            note.title = command.title
        }
    }
}

private final class ListNotesHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    init(scope: any DependencyResolutionScope) { store = scope.resolve() }

    func handle(_ query: ListNotes) async throws -> [ListNotes.Note] {
        try await store.read { context in
            try await context.fetch(Note.self).map { ListNotes.Note(id: $0.id, title: $0.title) }
        }
    }
}

private func notesContainer(on store: any DeliveryStore) -> Container {
    let builder = ContainerBuilder()
    builder.domain(store: store)
    builder.commandQueryDispatch().standard(
        commandHandlers: [RenameNoteHandler.self], queryHandlers: [ListNotesHandler.self])
    return builder.build()
}

private struct NoteList {
    var notes: [ListNotes.Note] = []
}

private let notesAPI = MessageAPI([
    .put("notes/{note}/title", command: RenameNote.self),
    .live("notes", query: ListNotes.self),
])

private let bookingAPI = MessageAPI([
    .post("reservations", command: ReserveSeat.self, errors: [BookingError.self]),
    .live("events/{event}/seats", query: SeatsLeft.self),
    .get("reservations", stream: ListReservations.self),
])

@Suite(.timeLimit(.minutes(1))) struct ClientExamples {
    @Test func aServerMountsTheAPI() throws {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: []))
        builder.commandQueryDispatch().standard(
            commandHandlers: [ReserveSeatHandler.self],
            queryHandlers: [SeatsLeftHandler.self],
            streamHandlers: [ListReservationsHandler.self],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        let container = builder.build()
        let router = Router()

        try router.messages(of: container).mount(bookingAPI)

        #expect(router.routes.count == 3)
    }

    #if SQLite
    @Test func aCommandWaitsForTheServer() async throws {
        try await withStoreFolder { folder in
            let (path, note) = (folder + "device.sqlite", UUID())

            let store = try SQLiteStore(path: path, entities: [StoredOfflineCommand.self])
            let remote = try RemoteDispatcher(notesAPI, at: "https://notes.example", through: URLSessionTransport())
            let offline = OfflineDispatcher(remote, on: store)
            let sending = Task { try await offline.run() }

            try await offline.send(RenameNote(note: note, title: "Trips"))

            sending.cancel()
            #expect(try await offline.pending.first?.command(as: RenameNote.self)?.title == "Trips")
        }
    }

    @Test func aScreenShowsTheEffectAtOnce() async throws {
        func show(
            _ predicted: PredictedStore,
            by dispatcher: any CommandQueryDispatcher,
            in list: inout NoteList
        ) async throws {
            for try await notes in predicted.observe({ _ in try await dispatcher.dispatch(ListNotes()) }) {
                list.notes = notes
            }
        }
        func follow(_ offline: OfflineDispatcher) async throws {
            try await offline.replicate(ListNotes(), as: Note.self) { notes in notes.map { Note($0) } }
        }
        try await withStoreFolder { folder in
            let path = folder + "device.sqlite"
            let remote = try RemoteDispatcher(notesAPI, at: "https://notes.example", through: URLSessionTransport())

            let store = try SQLiteStore(path: path, entities: [StoredOfflineCommand.self, Note.self])
            let predicted = PredictedStore(of: store)
            let container = notesContainer(on: predicted)
            let dispatcher: any CommandQueryDispatcher = container.resolve()
            let offline = try await OfflineDispatcher(remote, predictingIn: predicted, by: dispatcher)
            let following = Task { try await follow(offline) }

            try await offline.send(RenameNote(note: UUID(), title: "Trips"))

            following.cancel()
            #expect(try await dispatcher.dispatch(ListNotes()).map(\.title) == ["Trips"])
        }
    }
    #endif

    @Test func theDeclarationDescribesItself() throws {
        let description = try bookingAPI.openAPI(title: "Booking", version: "1")

        #expect(String(decoding: description, as: UTF8.self).contains("/events/{event}/seats"))
    }

    @Test func aClientDispatchesToTheServer() async throws {
        func reserve(event: UUID) async throws -> Int {
            let remote = try RemoteDispatcher(bookingAPI, at: "https://booking.example", through: URLSessionTransport())

            try await remote.dispatch(ReserveSeat(event: event, seat: 4))
            let left = try await remote.dispatch(SeatsLeft(event: event))
            return left
        }
        func show(event: UUID, badge: inout Badge) async throws {
            let remote = try RemoteDispatcher(bookingAPI, at: "https://booking.example", through: URLSessionTransport())

            for try await left in remote.observe(SeatsLeft(event: event)) { badge.text = "\(left)" }
        }
        func showRejections(of offline: OfflineDispatcher, badge: inout Badge, alerts: inout [String]) async throws {
            for try await pending in offline.observePending() {
                badge.count = pending.count
                for command in pending where command.isRejected {
                    if let rename = try command.command(as: RenameNote.self) {
                        try await offline.discard(command.id)
                        alerts.append("'\(rename.title)' was refused: \(command.failure?.message ?? "")")
                    }
                }
            }
        }
        let reserving = Task { try await reserve(event: UUID()) }
        reserving.cancel()
        await #expect(throws: (any Error).self) { try await reserving.value }
    }
}
#endif
