// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient
import HeadraceStations
import NotesClient
import NotesDomain
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct NotesTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Note.self])
    }

    @Test func aNoteWithoutANetworkIsVisibleAtOnceAndReachesTheServerLater() async throws {
        let deviceStore = try RunningServer.deviceStore()
        // No server listens on port 1.
        let alone = try await RunningServer.device(on: deviceStore, port: 1, token: "")

        try await alone.offline.send(AddNote(title: "Tea"))

        #expect(try await alone.current.map(\.title) == ["Tea"])
        #expect(try await alone.sync().map(\.failure?.code) == ["unreachable"])

        try await RunningServer.with(store) { server in
            #expect(try await server.device(deviceStore).sync().isEmpty)
            let other = try await server.device()
            #expect(try await other.sync().isEmpty)
            #expect(try await other.current.map(\.title) == ["Tea"])
        }
    }

    @Test func anOpenDeviceShowsTheChangesOfOtherDevices() async throws {
        try await RunningServer.with(store) { server in
            let (one, other) = (try await server.device(), try await server.device())
            try await one.running {
                try await other.running {
                    try await one.offline.send(AddNote(title: "Tea"))
                    try await other.show(["Tea"])
                    let note = try #require(try await other.current.first)
                    try await other.offline.send(RenameNote(note: note.id, title: "Green tea"))
                    try await one.show(["Green tea"])
                    try await one.offline.send(RemoveNote(note: note.id))
                    try await other.show([])
                }
            }
        }
    }

    @Test func aNameForARemovedNoteIsRefusedAndDisappears() async throws {
        try await RunningServer.with(store) { server in
            let (one, other) = (try await server.device(), try await server.device())
            try await one.offline.send(AddNote(title: "Tea"))
            #expect(try await one.sync().isEmpty)
            #expect(try await other.sync().isEmpty)
            let note = try #require(try await other.current.first)

            try await one.offline.send(RemoveNote(note: note.id))
            #expect(try await one.sync().isEmpty)
            try await other.offline.send(RenameNote(note: note.id, title: "Green tea"))
            #expect(try await other.current.map(\.title) == ["Green tea"])
            let refused = try #require(try await other.sync().first)

            #expect(refused.failure?.code == "removed")
            #expect(try await other.current.isEmpty)
            try await other.offline.discard(refused.id)
            #expect(try await other.sync().isEmpty)
        }
    }

    @Test func aRefusalOfTheDeviceIsOneOfTheServer() async throws {
        try await RunningServer.with(store) { server in
            let device = try await server.device()

            try await device.offline.send(AddNote(title: " "))

            #expect(try await device.offline.pending.map(\.conflict?.code) == ["emptyTitle"])
            #expect(try await device.sync().map(\.failure?.code) == ["emptyTitle"])
        }
    }

    @Test func aDeviceWhoseUserSignsOutKeepsNothingAndLosesNoChange() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "device.sqlite").path
        try await RunningServer.with(store) { server in
            let device = try await RunningServer.device(
                on: SQLiteStore(path: path, entities: NotesDevice.entities), port: server.port, token: server.token)
            try await device.offline.send(AddNote(title: "Tea"))
            await #expect(throws: WaitingChanges.self) { try await device.signOut(removing: path) }

            #expect(try await device.sync().isEmpty)
            // Another program has the file open, so the store leaves its log.
            let other = try SQLiteStore(path: path, entities: NotesDevice.entities)
            try await device.signOut(removing: path)

            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            try? other.close()
        }
    }

    @Test func aStrangerIsRefused() async throws {
        try await RunningServer.with(store) { server in
            let stranger = try await RunningServer.device(
                on: try RunningServer.deviceStore(), port: server.port, token: "x")

            try await stranger.offline.send(AddNote(title: "Tea"))

            #expect(try await stranger.sync().map(\.failure?.code) == ["unauthenticated"])
            #expect(try await server.device().sync().isEmpty)
        }
    }

    @MainActor
    @Test func aTapIsOneChainFromTheScreenToTheDelivery() async throws {
        try await RunningServer.with(store) { server in
            let device = try await server.device()
            let chain = try await Self.tap(device)
            var announced = server.announced.makeAsyncIterator()
            let page = try #require(await announced.next())
            #expect(await announced.next() == "New note: Tea")

            let messages = try await server.messages(page: page, chain: chain)

            for wanted in [
                "PUT /notes/{note}", "NotesDomain.AddNote", "NotesDomain.NoteAdded", "NotesServer.AnnounceNote",
            ] {
                #expect(messages.contains(wanted))
            }
        }
    }

    /// Adds a note by the screen, and returns the identifier of the chain when the server has carried out the command.
    @MainActor
    private static func tap(_ device: NotesDevice) async throws -> UUID {
        let taps = Taps()
        let station = Station(initialState: NotesScreen.State(), observers: [taps]) { NotesScreen(device) }
        try await station.pour(.added(title: "Tea")).finish()
        for await state in station.states where state.notes?.map(\.title) == ["Tea"] && state.pending.isEmpty { break }
        return try #require(taps.chains.first)
    }
}

/// Collects the chains of the actions that no other message has caused.
private final class Taps: MessageObserver {
    private let found = Mutex<[UUID]>([])

    var chains: [UUID] { found.withLock { $0 } }

    func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        if case NotesScreen.Action.added? = message as? NotesScreen.Action {
            found.withLock { $0.append(context.correlationID) }
        }
    }

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}
}
