// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// The limit of keys, names, and indexed values, which PostgreSQL keeps in B-trees.
///
/// An entry of a B-tree has at most 2,704 bytes: room for two texts and the numbers of their index.
/// <https://www.postgresql.org/docs/15/btree-implementation.html>
enum TextLimit {
    static let byteCount = 1_000

    /// Whether an index can have `value`.
    static func allows(_ value: IndexValue) -> Bool {
        if case .text(let text) = value { text.utf8.count <= byteCount } else { true }
    }

    /// Throws ``HeadraceStorage/StoreError`` with the code `tooLong` if `text` has more bytes than the limit.
    static func require(_ text: String, _ role: String, of entity: EntityReference? = nil) throws {
        let count = text.utf8.count
        if count <= byteCount { return }
        throw StoreError(
            code: .tooLong,
            message: """
                The \(role) '\(text.prefix(40))…' has \(count) bytes, but PostgreSQL indexes at most \(byteCount). \
                Nothing was stored. To fix, use a shorter text, for example a hash.
                """,
            entity: entity
        )
    }

    /// Maximum length of the documents, messages, and plain SQL of a unit of work, in bytes.
    ///
    /// PostgreSQL receives messages of at most 1 GiB. The rest is room for keys, index entries, and settlements.
    /// <https://www.postgresql.org/docs/15/limits.html>
    static let messageLength = 800 << 20

    /// Throws ``HeadraceStorage/StoreError`` with the code `tooLong` if `byteCount` is greater than ``messageLength``.
    static func require(_ byteCount: Int) throws {
        if byteCount <= messageLength { return }
        throw StoreError(
            code: .tooLong,
            message: """
                The documents and messages of the unit of work have \(byteCount) bytes, but PostgreSQL receives at most \
                \(messageLength). Nothing was stored. To fix, divide the unit of work, or keep large contents elsewhere.
                """
        )
    }

    /// Throws ``HeadraceStorage/StoreError`` with the code `tooLong` if a text of `changes` exceeds the limit.
    static func require(_ changes: ChangeSet) throws {
        for write in changes.writes {
            let entity = write.document.reference
            try require(entity.key, "key", of: entity)
            for entry in write.addedEntries {
                if case .text(let text) = entry.value { try require(text, "value in '\(entry.index)'", of: entity) }
            }
        }
        for record in changes.idempotencyRecords { try require(record.key, "idempotency key") }
        for delivery in changes.deliveries {
            try require(delivery.subscription, "subscription")
            guard let stream = changes.events[delivery.event].stream else { continue }
            try require(stream.kind, "kind of the stream")
            try require(stream.key, "key of the stream")
        }
    }
}
#endif
