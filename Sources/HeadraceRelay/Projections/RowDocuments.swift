// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage

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
