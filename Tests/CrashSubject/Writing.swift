// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting

/// Stores entries and their events from many tasks.
///
/// Some units of work are rolled back.
enum Writing {
    static func run(path: String, seed: String) async throws {
        var configuration = SQLiteStore.Configuration()
        configuration.faults = CrashFaults.store
        let store = try SQLiteStore(path: path, entities: [Entry.self, Total.self], configuration: configuration)
        try await execute(on: store) { context in
            if try await context.find(Total.self, id: "total") == nil { context.insert(Total()) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<60 {
                        let id = "\(seed)-\(task)-\(number)"
                        // One unit of work in five is rolled back, by an error or by SQL that fails in its savepoint.
                        switch (number + task) % 10 {
                        case 0: try? await insert("refused-" + id, into: store) { _ in throw Refusal() }
                        case 5: try? await insert("refused-" + id, into: store) { $0.perform { _ in throw Refusal() } }
                        default:
                            try await insert(id, into: store) { _ in }
                            CrashSubject.say(id)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Stores an entry with its event, and increments the total, which all tasks change.
    private static func insert(
        _ id: String,
        into store: SQLiteStore,
        then finish: @Sendable (EntityContext) throws -> Void
    ) async throws {
        while true {
            do {
                return try await execute(on: store) { context in
                    let entry = Entry(id)
                    context.insert(entry)
                    entry.raiseEvent(EntryStored(id: id))
                    try await context.find(Total.self, id: "total")?.count += 1
                    try finish(context)
                }
            } catch let error as StoreError where error.code == .versionConflict {
                continue
            }
        }
    }

    private static func execute(
        on store: SQLiteStore,
        _ body: (EntityContext) async throws -> Void
    ) async throws {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute(body)
    }
}

private struct Refusal: Error {}

private final class Entry: StoredEntity {
    static let entityName = "entry"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

private final class Total: StoredEntity {
    static let entityName = "total"

    var id = "total"
    var count = 0
    var raisedEvents = RaisedEvents()
}

private struct EntryStored: DurableDomainEvent {
    static let eventName = "entry-stored"
    var id: String
}
#endif
