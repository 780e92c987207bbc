// SPDX-License-Identifier: Apache-2.0

import Headrace

@DomainEntity
final class Book: StoredEntity {
    static let entityName = "book"

    let id: String
    let title: String
    private(set) var reader: String?

    init(id: String, title: String) {
        self.id = id
        self.title = title
    }

    func lend(to reader: String) throws {
        if let current = self.reader { throw BookIsOut(title: title, reader: current) }
        self.reader = reader
        raiseEvent(BookLent(book: id, title: title, reader: reader))
    }
}

struct BookLent: DurableDomainEvent {
    static let eventName = "book-lent"
    var book: String
    var title: String
    var reader: String
}

struct BookIsOut: Error {
    let title: String
    let reader: String
}
