//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import GRDB
import HeadraceDomain

/// One moment of a file: a transaction that reads, open for as long as this lives.
final class SQLiteSnapshot: EntityReader {
    private let snapshot: DatabaseSnapshot
    private let numbers: SchemaNumbers
    private let path: String

    init(_ snapshot: DatabaseSnapshot, numbers: SchemaNumbers, path: String) {
        self.snapshot = snapshot
        self.numbers = numbers
        self.path = path
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = numbers.kind(reference.kind) else { return nil }
        return try await read { try Reading.document(of: reference, kind: kind, in: $0) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read { [numbers] in try Reading.documents(of: references, numbers: numbers, in: $0) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        guard let statement = numbers.statement(for: query) else { return [] }
        return try await read { try Reading.documents(of: query.kind, by: statement, in: $0) }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try Reading.events(after: position, limit: limit, in: $0) }
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await SQLiteFailure(path: path).translating { try await snapshot.read(body) }
    }
}
#endif
