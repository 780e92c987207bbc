// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage
import Synchronization

/// A snapshot of a file: a read transaction that is open as long as this object lives.
///
/// The end of the object ends the transaction, also if the read has failed or was cancelled.
final class SQLiteSnapshot: EntityReader {
    private let connection: DatabaseSnapshot
    private let connections: SnapshotConnections
    private let schema: EntitySchema
    private let ids: SchemaIDs
    private let path: String

    /// The reads that use ``connection``, which is one.
    private let readers = ReaderCount(limit: 1)

    /// - Parameters:
    ///   - connection: The connection, in a transaction.
    ///   - connections: Receives the connection in the end.
    ///   - schema: The entities of the store.
    ///   - ids: The IDs of `schema`.
    ///   - path: The path of the file, for messages.
    init(
        _ connection: DatabaseSnapshot,
        of connections: SnapshotConnections,
        schema: EntitySchema,
        ids: SchemaIDs,
        path: String
    ) {
        self.connection = connection
        self.connections = connections
        self.schema = schema
        self.ids = ids
        self.path = path
    }

    deinit {
        connections.takeBack(connection)
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = ids.kind(reference.kind) else { return nil }
        return try await read(isBrief: true) { try DocumentReader.document(of: reference, kind: kind, in: $0) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read(isBrief: references.count <= SQLiteStore.largestBriefRead) { [ids] in
            try DocumentReader.documents(of: references, ids: ids, in: $0)
        }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try schema.requireIndexes(of: query)
        guard let statement = ids.statement(for: query) else { return [] }
        return try await read { [ids] in try OutdatedIndexes($0, ids: ids).fetch(query, by: statement).documents }
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try schema.requireIndexes(of: query)
        guard let statement = ids.statement(for: query) else { return 0 }
        return try await read { [ids] in try OutdatedIndexes($0, ids: ids).count(query, by: statement).count }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try DocumentReader.events(after: position, limit: limit, in: $0) }
    }

    /// Runs `body` on the connection; on the calling thread if it is brief, as `SQLiteStore.read(isBrief:_:)` does.
    private func read<Value: Sendable>(
        isBrief: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let isFree = readers.begin()
        defer { readers.end() }
        if isBrief && isFree && #isolation !== MainActor.shared {
            try Task.checkCancellation()
            return try SQLiteErrorMapper(path: path).translating { try connection.readHere(body) }
        }
        return try await SQLiteErrorMapper(path: path).translating { try await connection.read(body) }
    }
}

/// The connections of ended snapshots, which later snapshots use.
///
/// To open a connection takes longer than most reads. Each snapshot has a connection for itself, and opens it if no
/// connection is idle. So a snapshot never waits for other snapshots, also if a read begins another read.
final class SnapshotConnections: Sendable {
    private struct State {
        var idle: [DatabaseSnapshot] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The greatest number of idle connections.
    ///
    /// Each keeps pages of the file in memory, 2 MB at most by default.
    static let limit = 16

    /// Number of idle connections.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Removes an idle connection, which is in no transaction, or returns `nil` if there is none.
    func take() -> DatabaseSnapshot? {
        state.withLock { $0.idle.popLast() }
    }

    /// Ends the transaction of `connection`, and keeps the connection for another snapshot.
    func takeBack(_ connection: DatabaseSnapshot) {
        // The connection closes if its transaction can't end.
        guard (try? connection.readHere({ try $0.commitTransaction() })) != nil else { return }
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.limit { state.idle.append(connection) }
        }
    }

    /// Closes the idle connections, and others as soon as their snapshots end.
    func close() {
        // They close outside of the lock.
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
    }
}

extension DatabaseSnapshot {
    /// Runs `body` on the calling thread.
    func readHere<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // The last reference to a snapshot can end on the thread of a connection.
        try unsafeReentrantRead(body)
    }
}
#endif
