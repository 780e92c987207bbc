// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
public import HeadraceStorage

extension SQLiteStore {
    /// Returns the document of an entity, or `nil` if it doesn't exist.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file cannot be read, with the code `schemaChanged` after another
    ///   version of the program has changed it, and with the code `fileRemoved` if the read needs a new connection and
    ///   the file was removed or replaced; `CancellationError`.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = check.ids.kind(reference.kind) else { return nil }
        return try await read(isBrief: true) { try DocumentReader.document(of: reference, kind: kind, in: $0) }
    }

    /// Returns the documents of several entities from one snapshot, in the order of `references`.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read(isBrief: references.count <= Self.largestBriefRead) { [check] in
            try DocumentReader.documents(of: references, ids: check.ids, in: $0)
        }
    }

    /// Returns the documents that match `query`, from one snapshot.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try schema.requireIndexes(of: query)
        guard let statement = check.ids.statement(for: query) else { return [] }
        let (documents, isSlow) = try await read { [check] in
            try OutdatedIndexes($0, ids: check.ids).fetch(query, by: statement)
        }
        // The documents are right without it. The next query then finds them in the indexes.
        if isSlow { try? await complete(query) }
        return documents
    }

    /// Returns the number of documents that match `query`, without reading them.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try schema.requireIndexes(of: query)
        guard let statement = check.ids.statement(for: query) else { return 0 }
        let (count, isSlow) = try await read { [check] in
            try OutdatedIndexes($0, ids: check.ids).count(query, by: statement)
        }
        if isSlow { try? await complete(query) }
        return count
    }

    /// Returns at most `limit` events of the log after a position, in commit order.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try DocumentReader.events(after: position, limit: limit, in: $0) }
    }

    /// Returns a snapshot of the store, on a separate connection.
    ///
    /// Later commits do not change it. Its connection serves later snapshots when it ends.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        // The program can have closed its own connections, which only a use of them shows.
        let idle = ownsConnections ? snapshots.take() : nil
        // Not in a closure, which could leave the caller's thread. As a condition of 'if', it crashes the compiler (Swift 6.3.1, release).
        let mayBlock = idle != nil && #isolation !== MainActor.shared
        if mayBlock, let idle {
            return try translatingReadingHere {
                try idle.readHere { try check.beginRead(in: $0) }
                return snapshot(on: idle)
            }
        }
        return try await translatingReading {
            if idle == nil { try await requireOpenConnections() }
            guard let idle = idle ?? snapshots.take() else { return snapshot(on: try await open()) }
            try await idle.read { [check] in try check.beginRead(in: $0) }
            return snapshot(on: idle)
        }
    }

    private func snapshot(on connection: DatabaseSnapshot) -> SQLiteSnapshot {
        SQLiteSnapshot(connection, of: snapshots, schema: schema, ids: check.ids, path: path)
    }

    /// Requires the connections of the store to be open, because a snapshot opens a separate connection even if they aren't.
    private func requireOpenConnections() async throws {
        _ = readers.begin()
        defer { readers.end() }
        try await connections.unsafeRead { [check] in try Self.inReadTransaction(check, { _ in }, in: $0) }
    }

    /// Opens a connection for snapshots, and begins its first transaction.
    private func open() async throws -> DatabaseSnapshot {
        let connection = try connections.snapshot()
        // SQLite opens the write-ahead log only after the check of the connection.
        try file.check()
        try await connection.read { [check] in _ = try check.requireCurrent(in: $0) }
        return connection
    }

    /// Indexes documents that programs without the indexes of `query` have written.
    private func complete(_ query: DocumentQuery) async throws {
        try await connections.writeWithoutTransaction { [check] database in
            try database.inWriteTransaction {
                try check.requireCurrent(in: database)
                try OutdatedIndexes(database, ids: check.ids).complete(query)
            }
        }
    }

    /// Number of documents up to which a read is brief.
    static let largestBriefRead = 16

    /// Runs `body` in a transaction that reads.
    ///
    /// A brief read runs on the calling thread if a connection is free: four changes of threads take longer than a search
    /// by key. It never waits for other reads. On the main actor, all reads run elsewhere, because the disk may be slow.
    ///
    /// - Parameters:
    ///   - isBrief: Whether `body` only reads a few rows by their keys.
    ///   - body: The read.
    /// - Returns: The result of `body`.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    func read<Value: Sendable>(
        isBrief: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let isFree = readers.begin()
        defer { readers.end() }
        // Not in a closure, which could leave the caller's thread.
        if isBrief && isFree && #isolation !== MainActor.shared {
            try Task.checkCancellation()
            return try translatingReadingHere {
                try connections.unsafeRead { try Self.inReadTransaction(check, body, in: $0) }
            }
        }
        return try await translatingReading {
            try await connections.unsafeRead { [check] in try Self.inReadTransaction(check, body, in: $0) }
        }
    }

    /// Runs `body` in a transaction that reads.
    ///
    /// GRDB's own transaction would prepare its statements each time, and crashes on a closed `DatabaseQueue`.
    private static func inReadTransaction<Value>(
        _ check: FileSchemaCheck,
        _ body: (Database) throws -> Value,
        in database: Database
    ) throws -> Value {
        try database.inReadTransaction {
            try check.requireCurrent(in: database)
            return try body(database)
        }
    }

    /// Codes of errors that a removed file can cause: new connections fail or find other tables.
    private static let codesOfARemovedFile: [StoreError.Code] = [.unusable, .corrupt, .schemaChanged]

    /// Converts the errors of SQLite, and names a removed file as the cause.
    private nonisolated(nonsending) func translatingReading<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await SQLiteErrorMapper(path: path).translating(operation)
        } catch let error as StoreError where Self.codesOfARemovedFile.contains(error.code) {
            try file.check()
            throw error
        }
    }

    /// The synchronous variant of ``translatingReading(_:)``.
    private func translatingReadingHere<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try SQLiteErrorMapper(path: path).translating(operation)
        } catch let error as StoreError where Self.codesOfARemovedFile.contains(error.code) {
            try file.check()
            throw error
        }
    }
}
#endif
