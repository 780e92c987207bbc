// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

/// A note, which all users of a server share.
@DomainEntity
package final class Note: StoredEntity {
    package static let entityName = "note"

    package let id: UUID
    package private(set) var title: String
    package let addedAt: Date

    init(id: UUID, title: String, addedAt: Date) throws {
        self.id = id
        self.title = try Self.checked(title)
        self.addedAt = addedAt
        raiseEvent(NoteAdded(note: id, title: title))
    }

    /// Creates the note that a server has sent.
    package init(_ row: NoteRow) {
        id = row.id
        title = row.title
        addedAt = row.addedAt
    }

    func rename(to title: String) throws {
        self.title = try Self.checked(title)
    }

    private static func checked(_ title: String) throws -> String {
        if title.allSatisfy(\.isWhitespace) { throw NoteError(.emptyTitle, "A note needs a title.") }
        return title
    }
}

package struct NoteAdded: DurableDomainEvent {
    package static let eventName = "note-added"
    package let note: UUID
    package let title: String
}

/// A refusal, which the device receives as the handler of the server has thrown it.
package struct NoteError: CodedError, Codable, Equatable {
    package enum Code: String, Codable, CaseIterable, Sendable { case emptyTitle, removed }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
