// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage

/// The rates of one round, in commits per second.
///
/// Each measurement uses a new file, one after another.
struct Round {
    let one: Double
    let many: Double
    let rawAwaited: Double
    let rawOne: Double
    let rawMany: Double

    /// The rates of transactions of a program, each with one row, and each with one row and an event.
    let rowsOnly: Double
    let raising: Double

    /// The rates of finding one entity after another.
    let finds: Double
    let rawFinds: Double

    init(_ number: Int, in folder: URL) async throws {
        func path(_ name: String) -> String {
            folder.appending(path: "\(name)-\(number).sqlite").path(percentEncoded: false)
        }
        rawAwaited = try await RawCommits.insert(awaiting: 1_000, into: path("raw-awaited"))
        rawOne = try RawCommits.insert(1_000, together: 1, into: path("raw-one"))
        one = try await Self.commit(1_000, callers: 1, to: path("one"))
        many = try await Self.commit(16_000, callers: 64, to: path("many"))
        rawMany = try RawCommits.insert(16_000, together: 64, into: path("raw-many"))
        rowsOnly = try await ProgramRows.insert(1_000, raising: false, into: path("rows"))
        raising = try await ProgramRows.insert(1_000, raising: true, into: path("raising"))
        rawFinds = try await RawFinds.find(4_000, in: path("one"))
        finds = try await Self.find(4_000, in: path("one"))
    }

    /// Finds `count` documents, and awaits each.
    private static func find(_ count: Int, in path: String) async throws -> Double {
        let store = try SQLiteStore(path: path, entities: [Entry.self])
        let start = ContinuousClock.now
        for number in 0..<count {
            let found = try await store.find(EntityReference(kind: Entry.entityName, key: "\(number % 1_000)"))
            precondition(found != nil)
        }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        try store.close()
        return rate
    }

    /// Commits `count` units of work, each of one new entity and its event.
    private static func commit(_ count: Int, callers: Int, to path: String) async throws -> Double {
        let store = try SQLiteStore(path: path, entities: [Entry.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in stride(from: caller, to: count, by: callers) {
                        let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
                        try await unitOfWork.execute { context in
                            let entry = Entry(number)
                            context.insert(entry)
                            entry.raiseEvent(EntryMade(number: number, text: Entry.text))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        try store.close()
        return rate
    }
}

/// The entity that is inserted.
final class Entry: StoredEntity {
    static let entityName = "entry"
    static let text = "a document of the usual size, give or take"

    let id: Int
    var text = Entry.text
    var raisedEvents = RaisedEvents()

    init(_ id: Int) {
        self.id = id
    }
}

/// The event that is stored with an entry.
struct EntryMade: DurableDomainEvent {
    static let eventName = "entry-made"
    var number: Int
    var text: String
}
