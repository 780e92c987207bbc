// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// A transfer as it is posted.
struct Transfer: Codable, Sendable {
    struct Posting: Codable, Sendable {
        let account: String
        let amount: String?
    }

    let date: String
    let description: String
    let postings: [Posting]
}

/// Writes the rows that the ledger writes for a transfer, with group commit.
final class GroupWriter: Sendable {
    private struct State {
        var waiting: [(transfer: Transfer, continuation: CheckedContinuation<Void, any Error>)] = []
        var isWriting = false
    }

    private let pool: DatabasePool
    private let state = Mutex(State())

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE document (kind INTEGER, key TEXT, version INTEGER, json BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID;
                    CREATE TABLE entry (name INTEGER, value TEXT, key TEXT, PRIMARY KEY (name, value, key)) WITHOUT ROWID;
                    CREATE TABLE event (position INTEGER PRIMARY KEY, id BLOB, name TEXT, stream TEXT, json BLOB);
                    CREATE TABLE delivery (position INTEGER PRIMARY KEY, subscription TEXT, event INTEGER);
                    """
            )
        }
    }

    func write(_ transfer: Transfer) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append((transfer, continuation))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { schedule() }
        }
    }

    private func schedule() {
        pool.asyncWriteWithoutTransaction { database in
            let batch = self.state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            let outcome = Result {
                try database.inTransaction(.immediate) {
                    for entry in batch { try self.insert(entry.transfer, in: database) }
                    return .commit
                }
            }
            for entry in batch { entry.continuation.resume(with: outcome) }
            let isMore = self.state.withLock { state in
                state.isWriting = !state.waiting.isEmpty
                return state.isWriting
            }
            if isMore { self.schedule() }
        }
    }

    private func insert(_ transfer: Transfer, in database: Database) throws {
        let key = UUID().uuidString
        let json = try JSONEncoder().encode(transfer)
        try database.cachedStatement(sql: "INSERT INTO document VALUES (1, ?, 1, ?)").execute(arguments: [key, json])
        let entry = try database.cachedStatement(sql: "INSERT INTO entry VALUES (?, ?, ?)")
        try entry.execute(arguments: [1, transfer.date, key])
        let account = try database.cachedStatement(
            sql: """
                INSERT INTO document VALUES (2, ?, 1, ?)
                ON CONFLICT DO UPDATE SET version = version + 1, json = excluded.json
                """
        )
        let event = try database.cachedStatement(sql: "INSERT INTO event (id, name, stream, json) VALUES (?, ?, ?, ?)")
        let delivery = try database.cachedStatement(sql: "INSERT INTO delivery (subscription, event) VALUES (?, ?)")
        try event.execute(arguments: [key, "transaction-posted", key, json])
        for posting in transfer.postings {
            try entry.execute(arguments: [2, posting.account, key])
            try account.execute(arguments: [posting.account, json])
            try event.execute(arguments: [key, "account-moved", posting.account, json])
            try delivery.execute(arguments: ["statement", database.lastInsertedRowID])
        }
    }
}
