// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient

// The handlers run on the server, and on the device to predict the effect.

package struct AddNote: OfflineCommand {
    package static let commandName = "add-note"
    package let note: UUID
    package let title: String
    package let addedAt: Date

    package var orderKey: String { note.uuidString }

    package init(title: String) {
        note = UUID()
        self.title = title
        addedAt = Date()
    }
}

@Resolvable
final class AddNoteHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: AddNote) async throws {
        try await unitOfWork.execute { context in
            context.insert(try Note(id: command.note, title: command.title, addedAt: command.addedAt))
        }
    }
}

package struct RenameNote: OfflineCommand {
    package static let commandName = "rename-note"
    package let note: UUID
    package let title: String

    package var orderKey: String { note.uuidString }

    package init(note: UUID, title: String) {
        self.note = note
        self.title = title
    }
}

@Resolvable
final class RenameNoteHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: RenameNote) async throws {
        try await unitOfWork.execute { context in
            guard let note = try await context.find(Note.self, id: command.note) else {
                throw NoteError(
                    .removed, "The note '\(command.title)' can't be renamed, because another user has removed it.")
            }
            try note.rename(to: command.title)
        }
    }
}

package struct RemoveNote: OfflineCommand {
    package static let commandName = "remove-note"
    package let note: UUID

    package var orderKey: String { note.uuidString }

    package init(note: UUID) {
        self.note = note
    }
}

@Resolvable
final class RemoveNoteHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: RemoveNote) async throws {
        try await unitOfWork.execute { context in
            // Two users may remove the same note.
            if let note = try await context.find(Note.self, id: command.note) { context.delete(note) }
        }
    }
}
