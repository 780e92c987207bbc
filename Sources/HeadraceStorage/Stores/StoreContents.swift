// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// All data of a store in one state, for a copy into a store of another kind.
///
/// Obtain it from the store that has the data, for example from the method `contents()` of the SQLite store. While it
/// lives, the store keeps this state.
public struct StoreContents: Sendable {
    package let reader: any StoreContentsReader

    package init(_ reader: any StoreContentsReader) {
        self.reader = reader
    }
}

/// Reads the contents of a store.
package protocol StoreContentsReader: StoreTableReader {
    /// Returns the last used number of each table whose numbers aren't used again, by the name of the table.
    ///
    /// - Throws: ``StoreError``.
    func lastNumbers() async throws -> [String: Int64]

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    ///
    /// - Throws: ``StoreError``.
    func prunedPosition() async throws -> Int64

    /// Requires that nothing was committed to the store since the contents were opened.
    ///
    /// - Throws: ``StoreError`` with the code `StoreError.Code.locked` if a program has changed the store.
    func requireUnchanged() async throws
}

/// Numbers of the copied rows.
public struct StoreCopySummary: Sendable, Hashable {
    /// Number of entities.
    public let entityCount: Int

    /// Number of events in the log.
    public let eventCount: Int

    /// Number of deliveries that aren't completed, also of scheduled messages.
    public let deliveryCount: Int

    /// Number of scheduled messages.
    public let scheduledMessageCount: Int

    /// Number of dead letters.
    public let deadLetterCount: Int

    /// Number of outcomes that are kept for idempotency keys.
    public let idempotencyRecordCount: Int

    package init(_ counts: [StoreTable: Int]) {
        entityCount = counts[.entities] ?? 0
        eventCount = counts[.events] ?? 0
        deliveryCount = counts[.deliveries] ?? 0
        scheduledMessageCount = counts[.scheduled] ?? 0
        deadLetterCount = counts[.deadLetters] ?? 0
        idempotencyRecordCount = counts[.keys] ?? 0
    }
}

/// A table that the SQLite store and the PostgreSQL store have in common.
///
/// Indexes aren't copied: a store builds them from the documents.
package struct StoreTable: Sendable, Hashable {
    /// A column.
    package struct Column: Sendable, Hashable {
        /// The type of a column.
        package enum Kind: Sendable {
            case integer, flag, name, text, id

            /// Text without special characters, which the SQLite store keeps in the form of a name.
            case plainText
        }

        package let name: String
        package let kind: Kind

        fileprivate init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The name.
    package let name: String

    /// The columns, those of the primary key first.
    package let columns: [Column]

    /// Number of columns of the primary key.
    package let keyCount: Int

    /// The columns of the primary key.
    package var keyColumns: ArraySlice<Column> { columns.prefix(keyCount) }

    /// Returns the primary key of a row.
    package func key(of row: [StoreValue]) -> [StoreValue] { Array(row.prefix(keyCount)) }

    private init(_ name: String, keyCount: Int = 1, _ columns: Column...) {
        self.name = name
        self.columns = columns
        self.keyCount = keyCount
    }

    /// All tables, in the order in which they are copied.
    package static let all = [kinds, entities, events, subscriptions, lanes, deliveries, scheduled, deadLetters, keys]

    package static let kinds = StoreTable(
        "entity_kind", Column("id", .integer), Column("name", .name), Column("schema_version", .integer))

    package static let entities = StoreTable(
        "entity", keyCount: 2, Column("kind", .integer), Column("key", .name), Column("version", .integer),
        Column("schema_version", .integer), Column("document", .text))

    package static let events = StoreTable(
        "event", Column("position", .integer), Column("id", .id), Column("name", .name), Column("version", .integer),
        Column("stream_kind", .name), Column("stream_key", .name), Column("recorded_at", .integer),
        Column("document", .text), Column("origin", .plainText))

    package static let subscriptions = StoreTable(
        "subscription", Column("id", .integer), Column("name", .name), Column("paused_at", .integer),
        Column("replay_after", .integer), Column("replay_until", .integer), Column("replay_names", .plainText),
        Column("replay_count", .integer))

    package static let lanes = StoreTable(
        "lane", Column("id", .integer), Column("subscription", .integer), Column("stream_kind", .name),
        Column("stream_key", .name), Column("ready_at", .integer), Column("token", .integer),
        Column("attempts", .integer), Column("begun", .integer), Column("since", .integer),
        Column("unknown_name", .name), Column("unknown_version", .integer), Column("unknown_since", .integer),
        Column("last_failure", .name), Column("correction", .text))

    package static let deliveries = StoreTable(
        "delivery", keyCount: 2, Column("lane", .integer), Column("position", .integer), Column("is_replay", .flag))

    package static let scheduled = StoreTable(
        "scheduled_message", Column("number", .integer), Column("id", .id), Column("kind", .plainText),
        Column("name", .name), Column("version", .integer), Column("stream_kind", .name), Column("stream_key", .name),
        Column("due_at", .integer), Column("document", .text), Column("origin", .plainText), Column("lane", .integer))

    package static let deadLetters = StoreTable(
        "dead_letter", Column("id", .integer), Column("subscription", .integer), Column("position", .integer),
        Column("is_replay", .flag), Column("attempts", .integer), Column("reason", .name), Column("date", .integer),
        Column("correction", .text))

    package static let keys = StoreTable(
        "idempotency", Column("key", .name), Column("command", .text), Column("outcome", .text),
        Column("date", .integer))
}

/// Reads the rows of a store in the order of their keys.
package protocol StoreTableReader: Sendable {
    /// Returns at most `limit` rows after the row with the key `key`, or the first rows if it is `nil`.
    ///
    /// - Throws: ``StoreError``; `CancellationError`.
    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]]
}

extension StoreTableReader {
    /// Passes all rows of `table` to `body`, in pages, each of which has at most `limit` rows.
    ///
    /// - Throws: ``StoreError``; `CancellationError`; the errors of `body`.
    package func forEachPage(of table: StoreTable, limit: Int, _ body: ([[StoreValue]]) async throws -> Void)
        async throws
    {
        var last: [StoreValue]?
        while true {
            try Task.checkCancellation()
            let page = try await rows(of: table, after: last, limit: limit)
            if !page.isEmpty { try await body(page) }
            guard page.count == limit, let row = page.last else { return }
            last = table.key(of: row)
        }
    }
}

/// A value in a row of a store.
package enum StoreValue: Sendable, Hashable {
    /// A number, or NULL.
    case integer(Int64?)

    /// A Boolean.
    case flag(Bool)

    /// The UTF-8 of a key, a name, or a message for people, which can have any characters; or NULL.
    case name([UInt8]?)

    /// The UTF-8 of a document, byte for byte, or NULL.
    case text([UInt8]?)

    /// A UUID.
    case id(UUID)
}
