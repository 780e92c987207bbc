// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Headrace
import HeadraceClient
import HeadraceStations
import NotesClient
import NotesDomain
import SwiftUI
import Testing

/// The app of the notes, whose server can't be reached.
@Suite(.timeLimit(.minutes(1))) @MainActor struct NotesViewTests {
    private struct Unreachable: Error, MessageTransport {
        func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse { throw self }
    }

    @Test func aNoteIsAddedAndRemovedWithoutANetwork() async throws {
        let remote = try RemoteDispatcher(Notes.api, at: "http://localhost", through: Unreachable())
        let device = try await NotesDevice(remote, on: try InMemoryStore(entities: NotesDevice.entities))
        let station = Station(initialState: NotesScreen.State()) { NotesScreen(device) }
        let screen = Screen(NotesView(station))

        try screen.enter("Tea", into: "New note")
        try screen.press("Add")
        for await state in station.states where state.notes?.count == 1 && state.pending.count == 1 { break }
        screen.draw()
        #expect(screen.texts == ["Tea (waits)"])
        #expect(try screen.text(of: "New note").isEmpty)

        try screen.press("Remove Tea")
        for await state in station.states where state.notes?.isEmpty == true { break }
        screen.draw()
        #expect(screen.texts.isEmpty)
    }
}
