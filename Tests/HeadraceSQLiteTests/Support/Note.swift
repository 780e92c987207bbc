// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting

/// The entity of the tests.
final class Note: StoredEntity {
    static let entityName = "note"
    static var indexes: [EntityIndex<Note>] {
        [EntityIndex("title", unique: true) { $0.title }, EntityIndex("size") { $0.size }]
    }

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()

    init(_ id: String, title: String? = nil, size: Int = 0) {
        self.id = id
        self.title = title ?? "title of \(id)"
        self.size = size
    }
}

struct NoteChanged: DurableDomainEvent {
    static let eventName = "note-changed"
    var id: String
}

extension EntityStore {
    /// Runs a unit of work without event handlers.
    nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(self)).execute(body)
    }

    /// Stores a note for each of `ids`, each with an event.
    nonisolated(nonsending) func insertNotes(_ ids: String...) async throws {
        try await execute { context in
            for id in ids {
                let note = Note(id)
                context.insert(note)
                note.raiseEvent(NoteChanged(id: id))
            }
        }
    }

    /// The IDs of all notes, in order.
    nonisolated(nonsending) func noteIDs() async throws -> [String] {
        try await execute { try await $0.fetch(Note.self).map(\.id) }
    }
}

/// Opens the store of the tests.
func openStore(
    _ path: String,
    entities: [any StoredEntity.Type] = [Note.self],
    configuration: SQLiteStore.Configuration = SQLiteStore.Configuration()
) throws -> SQLiteStore {
    try SQLiteStore(path: path, entities: entities, configuration: configuration)
}

extension SQLiteStore.Configuration {
    /// Locks out other programs that can't share the file.
    static var replacing: Self {
        var configuration = Self()
        configuration.replacementTimeout = nil
        return configuration
    }

    /// Waits 20 ms for other processes, for tests in which another process keeps the lock.
    static var impatient: Self {
        var configuration = Self()
        configuration.busyTimeout = .milliseconds(20)
        configuration.openingTimeout = .milliseconds(20)
        return configuration
    }
}

/// Opens the file as another program would, which may leave a transaction open.
func openQueue(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    // A store that was just released may still hold the lock under which it closes the file.
    configuration.busyMode = .timeout(10)
    return try DatabaseQueue(path: path, configuration: configuration)
}

/// Opens the file as another program would.
func withOtherProgram<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
    let queue = try openQueue(path)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction(body)
}
#endif
