// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite

final class Note: StoredEntity {
    static let entityName = "note"

    let id: UUID
    let text: String
    var raisedEvents = RaisedEvents()

    init(_ text: String) {
        id = UUID()
        self.text = text
        raiseEvent(NoteTaken(text: text))
    }
}

struct NoteTaken: DurableDomainEvent {
    static let eventName = "note-taken"
    var text: String
}

@main
struct DomainClient {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore(path: folder.appending(path: "notes.sqlite").path, entities: [Note.self])

        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            context.insert(Note("first"))
            context.insert(Note("second"))
        }
        print(try await store.events(after: 0, limit: 10).count)
    }
}
