// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
@testable import HeadraceSQLite

/// The content of a store, read with plain SQL.
struct PowerRemains {
    /// The IDs of the entries, in the order of the log.
    var events: [String] = []

    var entries: Set<String> = []
    var effects: Set<String> = []

    /// How often each counter was written.
    var counters: [String: Int] = [:]

    /// Entries with events that wait to be acknowledged.
    var unacknowledged: Set<String> = []

    /// Entries with events that wait to be handled.
    var unhandled: Set<String> = []

    /// Descriptions of errors in the file itself.
    var damage: [String] = []

    init() {}

    init(_ store: SQLiteStore) throws {
        self = try store.connections.writeWithoutTransaction { try Self(in: $0) }
    }

    private init(in database: Database) throws {
        damage = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        damage += try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { "foreign key: \($0)" }
        events = try String.fetchAll(
            database,
            sql: "SELECT json_extract(document, '$.id') FROM headrace_event ORDER BY position"
        )
        let entities = try Row.fetchAll(
            database,
            sql: """
                SELECT name, key, version, json_extract(document, '$.id') AS id
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind
                """
        )
        for row in entities {
            let (name, key): (String, String) = (row["name"], row["key"])
            if row["id"] != key { damage.append("the document of '\(key)' belongs to another entity") }
            switch name {
            case PowerEntry.entityName: entries.insert(key)
            case PowerEffect.entityName: effects.insert(key)
            default: counters[key] = row["version"]
            }
        }
        let labels = try String.fetchSet(database, sql: "SELECT value FROM headrace_index_entry")
        if labels != entries { damage.append("the index differs by \(labels.symmetricDifference(entries))") }

        let deliveries = try Row.fetchAll(
            database,
            sql: """
                SELECT subscription.name, json_extract(event.document, '$.id') AS id FROM headrace_delivery AS delivery
                JOIN headrace_lane AS lane ON lane.id = lane
                JOIN headrace_subscription AS subscription ON subscription.id = subscription
                LEFT JOIN headrace_event AS event ON event.position = delivery.position
                """
        )
        for row in deliveries {
            let (name, id): (String, String?) = (row["name"], row["id"])
            guard let id else {
                damage.append("a delivery without its event")
                continue
            }
            if name == PowerTask.acknowledging { unacknowledged.insert(id) } else { unhandled.insert(id) }
        }
    }
}

extension PowerRemains {
    /// Descriptions of broken promises, after a power failure that followed `history`.
    func violations(after history: PowerHistory.State) -> [String] {
        let survivors = survivors(of: history)
        let required = history.required(with: survivors)
        let order = history.commitOrder
        let lost = order.firstIndex { !holds($0) } ?? order.endIndex
        let begun = Set(history.calls.keys)

        var violations = damage + history.violations
        func require(_ isTrue: Bool, _ violation: @autoclosure () -> String) {
            if !isTrue { violations.append(violation()) }
        }
        for effect in required.subtracting(survivors) {
            if case .lease = effect { continue }
            require(false, "\(effect) was durable and is lost: \(history.calls[effect].map { "\($0)" } ?? "")")
        }
        for effect in order[lost...].filter(holds) {
            require(false, "\(effect) is stored, but \(order[lost]), which was committed before it, is lost")
        }
        for id in entries {
            require(begun.contains(.entry(id)), "entry '\(id)' is stored, but was rolled back or never inserted")
        }
        for id in effects {
            require(begun.contains(.handling(id)), "effect '\(id)' is stored, but was rolled back or never inserted")
        }

        let log = order.compactMap { effect -> String? in
            if case .entry(let id) = effect, entries.contains(id) { return id }
            return nil
        }
        require(events == log, "the log is \(events) instead of \(log)")
        for (task, count) in Dictionary(grouping: entries, by: PowerTask.task(of:)).mapValues(\.count) {
            require(counters[task] == count, "task \(task) has \(count) entries and counts \(counters[task] ?? 0)")
        }
        for id in entries {
            require(unhandled.contains(id) != effects.contains(id), "'\(id)' must be either handled or pending")
            let isPending = unacknowledged.contains(id)
            require(isPending || begun.contains(.acknowledgement(id)), "the delivery of '\(id)' is lost")
        }
        require(unhandled.union(unacknowledged).isSubset(of: entries), "deliveries of events that don't exist")
        return violations
    }

    /// Returns the effects of `history` that survived.
    func survivors(of history: PowerHistory.State) -> Set<PowerHistory.Effect> {
        Set(history.calls.keys.filter(holds))
    }

    /// Whether the file contains `effect`.
    ///
    /// Leases are not checked.
    private func holds(_ effect: PowerHistory.Effect) -> Bool {
        switch effect {
        case .entry(let id): entries.contains(id)
        case .handling(let id): effects.contains(id)
        case .acknowledgement(let id): entries.contains(id) && !unacknowledged.contains(id)
        case .lease: false
        }
    }
}
#endif
