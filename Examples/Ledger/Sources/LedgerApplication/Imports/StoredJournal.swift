// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// The journal of an open import, for servers that share a database but no files.
///
/// Its bytes are in ``JournalPart`` entities.
public final class StoredJournal: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "stored-journal"

    /// Number of bytes in each part except the last.
    private static let partSize = 128 << 10

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier of the import.
    public let id: UUID

    /// Number of parts.
    public let partCount: Int

    private init(id: UUID, partCount: Int) {
        self.id = id
        self.partCount = partCount
    }

    /// Stores `bytes` for the import `id`, in one commit for each part.
    ///
    /// - Throws: `StoreError`; `CancellationError`.
    public static func keep(_ bytes: [UInt8], for id: UUID, in store: any EntityStore) async throws {
        let starts = stride(from: 0, to: bytes.count, by: partSize)
        // First the journal, so that the parts of a killed server can be found.
        let context = EntityContext(store)
        context.insert(StoredJournal(id: id, partCount: Array(starts).count))
        try await context.commit(context.takeEvents())
        for (number, start) in starts.enumerated() {
            let part = Data(bytes[start..<min(start + partSize, bytes.count)])
            let context = EntityContext(store)
            context.insert(JournalPart(of: id, number: number, bytes: part))
            try await context.commit(context.takeEvents())
        }
    }

    /// Returns the stored bytes for the import `id`.
    ///
    /// - Throws: `StoreError`; `CancellationError`; ``ImportJob/Failure`` if a part is missing.
    public static func bytes(of id: UUID, in store: any EntityStore) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let journal = try await EntityContext(store).find(StoredJournal.self, id: id)
        guard let journal else { throw missing(id) }
        for number in 0..<journal.partCount {
            let name = JournalPart.name(of: id, number: number)
            guard let part = try await EntityContext(store).find(JournalPart.self, id: name) else { throw missing(id) }
            bytes += part.bytes
        }
        return bytes
    }

    /// Deletes the stored bytes for the import `id`, if there are any.
    ///
    /// - Throws: `StoreError`, for example with the code `versionConflict` if another server deletes them at the same time;
    ///   `CancellationError`.
    public static func discard(_ id: UUID, in store: any EntityStore) async throws {
        guard let journal = try await EntityContext(store).find(StoredJournal.self, id: id) else { return }
        for number in 0..<journal.partCount {
            let context = EntityContext(store)
            let name = JournalPart.name(of: id, number: number)
            guard let part = try await context.find(JournalPart.self, id: name) else { continue }
            context.delete(part)
            try await context.commit(context.takeEvents())
        }
        let context = EntityContext(store)
        guard let journal = try await context.find(StoredJournal.self, id: id) else { return }
        context.delete(journal)
        try await context.commit(context.takeEvents())
    }

    /// Returns the identifiers of all stored journals.
    ///
    /// - Throws: `StoreError`; `CancellationError`.
    public static func all(in store: any EntityStore) async throws -> [UUID] {
        try await EntityContext(store).fetch(StoredJournal.self).map(\.id)
    }

    private static func missing(_ id: UUID) -> ImportJob.Failure {
        ImportJob.Failure(code: "journalMissing", message: "The journal of the import '\(id)' is no longer stored.")
    }
}
