// SPDX-License-Identifier: Apache-2.0

import Headrace

/// A book that records whether its last change was on the main actor, so that a test can check where a handler ran.
@DomainEntity
package final class Book: StoredEntity {
    package static let entityName = "book"

    package let id: String
    package private(set) var reader: String?
    package private(set) var changedOnMainActor = false

    package init(id: String) {
        self.id = id
    }

    package func lend(to reader: String, isolation: (any Actor)? = #isolation) {
        self.reader = reader
        changedOnMainActor = isolation === MainActor.shared
        raiseEvent(BookLent(book: id, reader: reader))
    }
}

@DomainEntity
package final class Reader: StoredEntity {
    package static let entityName = "reader"

    package let id: String
    package private(set) var loans = 0
    package private(set) var changedOnMainActor = false

    package init(id: String) {
        self.id = id
    }

    package func countLoan(isolation: (any Actor)? = #isolation) {
        loans += 1
        changedOnMainActor = isolation === MainActor.shared
    }
}

package struct BookLent: DomainEvent {
    package var book: String
    package var reader: String
}

package struct NotFound: Error {
    package let id: String

    package init(id: String) {
        self.id = id
    }
}
