// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// The message with which a store tells other stores on the same schema what its commits have changed.
struct CommitNotice: Codable, Sendable {
    /// The identifier of the store object.
    let writer: UUID

    /// The kinds of the changed entities, or `nil` if there are too many to name.
    var kinds: Set<String>? = []

    /// Whether the log has new events.
    var hasEvents = false

    /// Whether a relay has work.
    var hasDeliveries = false

    /// PostgreSQL accepts payloads below 8,000 bytes. <https://www.postgresql.org/docs/15/sql-notify.html>
    private static let longest = 7_000

    /// Returns the name of the channel for the stores on a schema.
    ///
    /// It is short and needs no quotes, whatever the name of the schema. If two schemas have the same hash, their stores
    /// look for changes too often. <http://www.isthe.com/chongo/tech/comp/fnv/>
    static func channel(of schema: String) -> String {
        let hash = schema.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "headrace_" + String(hash, radix: 16)
    }

    init(writer: UUID) {
        self.writer = writer
    }

    /// The changed parts, or `nil` for possibly all.
    var subjects: Set<CommitFeed.Subject>? {
        guard let kinds else { return nil }
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        return hasEvents ? subjects.union([.events]) : subjects
    }

    mutating func add(_ changes: ChangeSet) {
        for subject in changes.subjects {
            switch subject {
            case .entities(let kind): kinds?.insert(kind)
            case .events: hasEvents = true
            }
        }
        hasDeliveries = hasDeliveries || changes.makesDeliveries
    }

    /// The payload, which names no kinds if it would be too long.
    var payload: String {
        get throws {
            let json = try JSONEncoder().encode(self)
            if json.count <= Self.longest { return String(decoding: json, as: UTF8.self) }
            var short = self
            short.kinds = nil
            return String(decoding: try JSONEncoder().encode(short), as: UTF8.self)
        }
    }

    init?(payload: String) {
        guard let notice = try? JSONDecoder().decode(CommitNotice.self, from: Data(payload.utf8)) else { return nil }
        self = notice
    }
}
#endif
