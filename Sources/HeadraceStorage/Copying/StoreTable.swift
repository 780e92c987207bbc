// SPDX-License-Identifier: Apache-2.0

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
