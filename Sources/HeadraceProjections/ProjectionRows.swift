// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
public import HeadraceStorage

/// The rows of a projection, for the functions that apply events.
///
/// A row is read from the store once in a batch of events, and written once at its end.
public final class ProjectionRows<Row: ProjectionRow> {
    private struct Known {
        /// The stored row; `nil` if there is none, or if it wasn't read yet.
        var stored: StoredProjectionRow?
        var isRead: Bool
        var row: Row?
        var isChanged = false
    }

    /// The event that is being applied, with its position, date, and stream.
    public internal(set) var record: EventRecord

    private let documents: RowDocuments<Row>
    private var known: [BytewiseString: Known] = [:]

    /// The changed rows, in the order of their first change.
    private var changed: [BytewiseString] = []

    init(_ documents: RowDocuments<Row>, record: EventRecord) {
        self.documents = documents
        self.record = record
    }

    /// Returns the row with the identifier `id`, or `nil` if it doesn't exist.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; ``ProjectionError`` with the code `undecodableRow`; `CancellationError`.
    public nonisolated(nonsending) func find(_ id: Row.ID) async throws -> Row? {
        let key = BytewiseString(id.storageKey)
        if let known = known[key] { return known.row }
        let stored = try await documents.find(key.text)
        let row = try stored.map(documents.decode)
        known[key] = Known(stored: stored, isRead: true, row: row)
        return row
    }

    /// Stores `row` in place of the row with its identifier, or as a new row.
    public func save(_ row: Row) {
        change(row.id.storageKey, to: row)
    }

    /// Deletes the row with the identifier `id`, if it exists.
    public func delete(_ id: Row.ID) {
        change(id.storageKey, to: nil)
    }

    /// Changes the row with the identifier `id`, or `row` if it doesn't exist, and stores it.
    ///
    /// - Parameters:
    ///   - id: The identifier, which `change` must leave as it is.
    ///   - row: The row to begin with if the row doesn't exist.
    ///   - change: Changes the row.
    /// - Throws: The errors of ``find(_:)``; the error of `change`.
    public nonisolated(nonsending) func update(
        _ id: Row.ID,
        orInsert row: @autoclosure () -> Row,
        _ change: (inout Row) throws -> Void
    ) async throws {
        var changed = try await find(id) ?? row()
        try change(&changed)
        save(changed)
    }

    /// Returns the rows that match all `conditions`, including rows that this batch has changed.
    ///
    /// - Parameters:
    ///   - conditions: The conditions, which must all hold; without any, all rows match.
    ///   - order: The order, or `nil` for the order of the identifiers' stored texts.
    ///   - limit: Maximum number of rows, or `nil` for all.
    /// - Returns: The rows.
    /// - Throws: The errors of ``find(_:)``; ``ProjectionError`` with the code `unknownIndex`.
    public nonisolated(nonsending) func fetch(
        where conditions: [RowCondition<Row>] = [],
        orderedBy order: RowOrder<Row>? = nil,
        limit: Int? = nil
    ) async throws -> [Row] {
        try await flush()
        return try await documents.fetch(where: conditions, orderedBy: order, limit: limit).map(documents.decode)
    }

    private func change(_ key: String, to row: Row?) {
        let key = BytewiseString(key)
        var entry = known[key] ?? Known(stored: nil, isRead: false, row: nil)
        entry.row = row
        if !entry.isChanged { changed.append(key) }
        entry.isChanged = true
        known[key] = entry
    }

    /// Writes the changed rows to the context.
    nonisolated(nonsending) func flush() async throws {
        for key in changed {
            guard var entry = known[key] else { continue }
            if !entry.isRead { entry.stored = try await documents.find(key.text) }
            entry.isRead = true
            entry.isChanged = false
            if let row = entry.row {
                let (values, content) = try documents.encode(row)
                if let stored = entry.stored {
                    stored.values = values
                    stored.content = content
                } else {
                    let new = StoredProjectionRow(documents.version, key: key.text, values: values, content: content)
                    documents.context.insert(new)
                    entry.stored = new
                }
            } else if let stored = entry.stored {
                documents.context.delete(stored)
                entry.stored = nil
            }
            known[key] = entry
        }
        changed.removeAll()
    }
}

@available(*, unavailable)
extension ProjectionRows: Sendable {}

/// The rows of a projection at one moment, for queries.
public struct ProjectionReader<Row: ProjectionRow> {
    private let documents: RowDocuments<Row>

    /// The position in the log of the last event that the rows include; 0 before the first event.
    public let position: Int64

    init(_ documents: RowDocuments<Row>, position: Int64) {
        self.documents = documents
        self.position = position
    }

    /// The version of the projection that the rows belong to.
    public var version: Int { documents.version.number }

    /// Returns the row with the identifier `id`, or `nil` if it doesn't exist.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; ``ProjectionError`` with the code `undecodableRow`; `CancellationError`.
    public nonisolated(nonsending) func find(_ id: Row.ID) async throws -> Row? {
        try await documents.find(id.storageKey).map(documents.decode)
    }

    /// Returns the rows that match all `conditions`.
    ///
    /// ```swift
    /// let best = try await projections.read(customerTotals) { rows in
    ///     try await rows.fetch(where: [.isAtLeast(.total, 1_000)], orderedBy: .descending(.total), limit: 10)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - conditions: The conditions, which must all hold; without any, all rows match.
    ///   - order: The order, or `nil` for the order of the identifiers' stored texts.
    ///   - limit: Maximum number of rows, or `nil` for all.
    /// - Returns: The rows.
    /// - Throws: The errors of ``find(_:)``; ``ProjectionError`` with the code `unknownIndex`.
    public nonisolated(nonsending) func fetch(
        where conditions: [RowCondition<Row>] = [],
        orderedBy order: RowOrder<Row>? = nil,
        limit: Int? = nil
    ) async throws -> [Row] {
        try await documents.fetch(where: conditions, orderedBy: order, limit: limit).map(documents.decode)
    }
}

@available(*, unavailable)
extension ProjectionReader: Sendable {}

/// Reads and encodes the rows of one version of a projection.
struct RowDocuments<Row: ProjectionRow> {
    let context: EntityContext
    let version: ProjectionVersion

    nonisolated(nonsending) func find(_ key: String) async throws -> StoredProjectionRow? {
        try await context.find(StoredProjectionRow.self, id: StoredProjectionRow.ID(version, key: key))
    }

    nonisolated(nonsending) func fetch(
        where conditions: [RowCondition<Row>],
        orderedBy order: RowOrder<Row>?,
        limit: Int?
    ) async throws -> [StoredProjectionRow] {
        var stored = try conditions.map { condition in try self.condition(condition.test, on: slot(of: condition.index))
        }
        let orderSlot = try order.map { try slot(of: $0.index) }
        if let orderSlot { stored.append(condition(.range(from: nil, below: nil), on: orderSlot)) }
        if stored.isEmpty { stored = [.equals(.version, version.text)] }
        let storedOrder: EntityOrder<StoredProjectionRow>? = orderSlot.map {
            order?.isDescending == true ? .descending(.slot($0)) : .ascending(.slot($0))
        }
        return try await context.fetch(StoredProjectionRow.self, where: stored, orderedBy: storedOrder, limit: limit)
    }

    func decode(_ stored: StoredProjectionRow) throws -> Row {
        do {
            return try DocumentCoding.decode(Row.self, from: Data(stored.content.utf8))
        } catch {
            throw ProjectionError.undecodable(Row.self, in: version, cause: error)
        }
    }

    func encode(_ row: Row) throws -> (values: [String?], content: String) {
        let content = try DocumentCoding.encode(row)
        let values = Row.indexes.map { index in index.value(row).map { version.prefix + $0.sortableText } }
        return (values, String(decoding: content, as: UTF8.self))
    }

    private func slot(of index: RowIndex<Row>) throws -> Int {
        guard let slot = Row.indexes.firstIndex(where: { $0.name == index.name }) else {
            throw ProjectionError.unknownIndex(index.name, of: Row.self)
        }
        return slot
    }

    private func condition(_ test: IndexPredicate, on slot: Int) -> EntityCondition<StoredProjectionRow> {
        switch test {
        case .oneOf(let values):
            return .isOneOf(.slot(slot), values.map { version.prefix + $0.sortableText })
        case .range(let from, let below):
            let start = version.prefix + (from?.sortableText ?? "")
            let end = below.map { version.prefix + $0.sortableText } ?? version.end
            return .isText(in: .slot(slot), from: start, below: end)
        }
    }
}

extension IndexValue {
    /// A text that sorts, byte by byte, as the values do: numbers before texts.
    var sortableText: String {
        switch self {
        case .integer(let number):
            let digits = String(UInt64(bitPattern: number) ^ (1 << 63), radix: 16)
            return "0" + String(repeating: "0", count: 16 - digits.count) + digits
        case .text(let text):
            return "1" + text
        }
    }
}
