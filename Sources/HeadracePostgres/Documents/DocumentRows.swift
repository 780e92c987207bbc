// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// Reads documents and messages from rows.
enum DocumentRows {
    /// Reads a document from the columns key, version, schema version, and document, from `first` on.
    static func document(of kind: String, _ row: PostgresRow, from first: Int = 0) throws -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: kind, key: try row.text(first)),
            version: Int(try row.integer(first + 1)),
            schemaVersion: Int(try row.integer(first + 2)),
            json: Data(try row.bytes(first + 3))
        )
    }

    /// Reads an event from the columns of ``LeaseProcedure/event``, from `first` on.
    static func event(_ row: PostgresRow, from first: Int = 0) throws -> EventRecord {
        EventRecord(
            position: try row.integer(first),
            event: NewEvent(
                id: try row.id(first + 1),
                name: try row.text(first + 2),
                version: Int(try row.integer(first + 3)),
                stream: stream(row, from: first + 4),
                recordedAt: Date(milliseconds: try row.integer(first + 6)),
                json: Data(try row.bytes(first + 7)),
                origin: try origin(row, first + 8)
            )
        )
    }

    /// Reads a scheduled message from the columns of ``LeaseProcedure/message``, from `first` on.
    static func message(_ row: PostgresRow, from first: Int) throws -> ScheduledMessage {
        let kind = try row.text(first + 2)
        guard let kind = ScheduledMessage.Kind(rawValue: kind) else {
            throw PostgresFailure.refused(state: "XX001", message: "a scheduled message is of kind '\(kind)'")
        }
        return ScheduledMessage(
            id: try row.id(first + 1),
            kind: kind,
            name: try row.text(first + 3),
            version: Int(try row.integer(first + 4)),
            stream: stream(row, from: first + 5),
            dueAt: Date(milliseconds: try row.integer(first + 7)),
            json: Data(try row.bytes(first + 8)),
            origin: try origin(row, first + 9)
        )
    }

    /// Reads the message of a delivery: the columns of an event from `first` on, then those of a scheduled message.
    static func content(_ row: PostgresRow, from first: Int) throws -> Delivery.Content {
        if row.optionalBytes(first) != nil { return .event(try event(row, from: first)) }
        if row.optionalBytes(first + 9) != nil { return .scheduled(try message(row, from: first + 9)) }
        return .missing
    }

    private static func stream(_ row: PostgresRow, from first: Int) -> EntityReference? {
        guard let kind = row.optionalText(first), let key = row.optionalText(first + 1) else { return nil }
        return EntityReference(kind: kind, key: key)
    }

    private static func origin(_ row: PostgresRow, _ column: Int) throws -> MessageOrigin {
        guard let text = row.optionalText(column) else { return .unknown }
        do {
            return try MessageOrigin(storedText: text)
        } catch {
            throw PostgresFailure.refused(state: "XX001", message: "the origin of a message is '\(text)'")
        }
    }
}
#endif
