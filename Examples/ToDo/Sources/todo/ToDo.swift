// SPDX-License-Identifier: Apache-2.0

import Headrace

@DomainEntity
final class ToDo: StoredEntity {
    static let entityName = "to-do"

    let id: String
    let title: String
    private(set) var isDone = false

    init(id: String, title: String) {
        self.id = id
        self.title = title
    }

    func complete() throws {
        if isDone { throw Refusal(reason: "'\(title)' is already done.") }
        isDone = true
        raiseEvent(ToDoCompleted(id: id, title: title))
    }
}

struct ToDoCompleted: DurableDomainEvent {
    static let eventName = "to-do-completed"
    var id: String
    var title: String
}

struct Refusal: Error, Equatable {
    let reason: String
}
