// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite

/// Opens each file that a line of the standard input names, stores an entity in it, and closes it.
enum Opening {
    static func run(name: String) async throws {
        while let path = readLine() {
            do {
                let store = try SQLiteStore(path: path, entities: [Door.self])
                let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    context.insert(Door(name))
                }
                try store.close()
                CrashSubject.say("opened")
            } catch {
                CrashSubject.say("\(error)".replacing("\n", with: " "))
            }
        }
    }
}

private final class Door: StoredEntity {
    static let entityName = "door"
    static var indexes: [EntityIndex<Door>] {
        [EntityIndex("id", unique: true) { $0.id }, EntityIndex("length") { $0.id.count }]
    }

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}
#endif
