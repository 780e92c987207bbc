// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

/// Lists all notes, the oldest first.
package struct ListNotes: CQDQuery, Codable {
    package typealias Value = [NoteRow]

    package init() {}
}

package struct NoteRow: Codable, Equatable, Identifiable, Sendable {
    package let id: UUID
    package let title: String
    package let addedAt: Date
}

@Resolvable
final class ListNotesHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: ListNotes) async throws -> [NoteRow] {
        try await context.fetch(Note.self)
            .map { NoteRow(id: $0.id, title: $0.title, addedAt: $0.addedAt) }
            .sorted { ($0.addedAt, $0.id.uuidString) < ($1.addedAt, $1.id.uuidString) }
    }
}
