// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import HeadraceStations
import NotesDomain
import SwiftUI

/// The screen of an app.
package struct NotesView: View {
    private let station: StationOf<NotesScreen>
    @State private var title = ""

    package init(_ station: StationOf<NotesScreen>) {
        self.station = station
    }

    package var body: some View {
        List {
            ForEach(station.notes ?? [], id: \.id) { note in
                Text(station.state.isWaiting(note) ? "\(note.title) (waits)" : note.title)
                Button("Remove \(note.title)") { station.pour(.removed(note)) }
            }
            ForEach(station.rejections, id: \.id) { command in
                Text(command.failure?.message ?? command.name)
                Button("Discard") { station.pour(.discarded(command)) }
            }
            TextField("New note", text: $title)
            Button("Add") {
                station.pour(.added(title: title))
                title = ""
            }
        }
    }
}
#endif
