// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceClient
import HeadraceStations
import NotesDomain

/// The list of notes, for a terminal or an app.
package struct NotesScreen: Dripper {
    package struct State: Equatable {
        /// The notes; `nil` until they are loaded.
        package var notes: [NoteRow]?
        package var pending: [PendingCommand] = []
        package var problem: String?

        package init() {}

        /// The commands that the server has refused.
        package var rejections: [PendingCommand] { pending.filter(\.isRejected) }

        /// Whether the server doesn't have a change of this note yet.
        package func isWaiting(_ note: NoteRow) -> Bool { pending.contains { $0.orderKey == note.id.uuidString } }
    }

    package enum Action: Sendable {
        case notesChanged([NoteRow])
        case pendingChanged([PendingCommand])
        case added(title: String)
        case renamed(NoteRow, title: String)
        case removed(NoteRow)
        case discarded(PendingCommand)
        case retried
        case failed(String)
    }

    private let device: NotesDevice

    package init(_ device: NotesDevice) {
        self.device = device
    }

    package var body: some Dripper<State, Action> {
        let device = device
        Drip { state, action in
            switch action {
            case .notesChanged(let notes): state.notes = notes
            case .pendingChanged(let pending): state.pending = pending
            case .added(let title):
                state.problem = nil
                return send(AddNote(title: title))
            case .renamed(let note, let title):
                state.problem = nil
                return send(RenameNote(note: note.id, title: title))
            case .removed(let note):
                state.problem = nil
                return send(RemoveNote(note: note.id))
            case .discarded(let command): return attempt { try await device.offline.discard(command.id) }
            case .retried: device.offline.wake()
            case .failed(let problem): state.problem = problem
            }
            return .none
        }
        StateSubscriptions { _ in
            StateSubscription(
                "notes",
                .run { pour in
                    for try await notes in device.notes { pour(.notesChanged(notes)) }
                })
            StateSubscription(
                "pending",
                .run { pour in
                    for try await pending in device.offline.observePending() { pour(.pendingChanged(pending)) }
                })
            StateSubscription(
                "device",
                .run { _ in
                    try await device.run()
                } catch: { error, pour in
                    pour(.failed("\(error)"))
                })
        }
    }

    private func send(_ command: some OfflineCommand) -> Effect<Action> {
        attempt { [device] in try await device.offline.send(command) }
    }

    private func attempt(_ operation: @escaping @Sendable () async throws -> Void) -> Effect<Action> {
        .run { _ in
            try await operation()
        } catch: { error, pour in
            pour(.failed("\(error)"))
        }
    }
}
