// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceStorage

/// The log of a store as its commits have written it, and the part that was acknowledged.
struct WatchedLog: Sendable {
    private struct Entry {
        let position: Int64
        let id: UUID
        let name: String
        let node: String
    }

    private var entries: [Entry] = []
    private var positions: [UUID: Int64] = [:]

    /// The position of the last acknowledged event.
    private var promised: Int64 = 0

    /// Notes that `node` has committed `events`.
    ///
    /// - Returns: The positions of the events, or no positions and a violation.
    mutating func note(
        _ events: [NewEvent], by node: String, in contents: InMemoryStore.Contents
    ) -> (positions: [Int64], violation: String?) {
        if events.isEmpty { return ([], nil) }
        let last = entries.last
        if let last, last.position > contents.prunedPosition, contents.event(at: last.position)?.event.id != last.id {
            return ([], "\(Self.text(last)) is no longer in the log.")
        }
        // Events before them were committed by the test itself.
        let added = contents.events(after: last?.position ?? 0).suffix(events.count)
        if added.map(\.event.id) != events.map(\.id) {
            let names = events.map(\.name).joined(separator: ", ")
            return ([], "'\(node)' has committed the events \(names), which aren't the last events of the log.")
        }
        for record in added {
            entries.append(Entry(position: record.position, id: record.event.id, name: record.event.name, node: node))
            positions[record.event.id] = record.position
        }
        return (added.map(\.position), nil)
    }

    /// Notes that `node` was told that `events` are durable.
    ///
    /// - Returns: A violation.
    mutating func acknowledge(_ events: [NewEvent], to node: String) -> String? {
        for event in events {
            guard let position = positions[event.id] else {
                return "The event '\(event.name)' was acknowledged to '\(node)', and isn't in the log."
            }
            promised = max(promised, position)
        }
        return nil
    }

    /// Compares the log with `contents`.
    ///
    /// After a crash, events that weren't acknowledged can be missing at its end.
    ///
    /// - Returns: A violation.
    mutating func compare(with contents: InMemoryStore.Contents, afterCrash: Bool) -> String? {
        let stored = contents.events
        var index = 0
        var kept: [Entry] = []
        var violation: String?
        for entry in entries {
            while index < stored.count, stored[index].position < entry.position { index += 1 }
            let record = index < stored.count ? stored[index] : nil
            let isLast = record == nil
            if let record, record.position == entry.position {
                kept.append(entry)
                if record.event.id != entry.id {
                    violation = violation ?? "\(Self.text(entry)) was replaced by '\(record.event.name)'."
                }
            } else if entry.position <= contents.prunedPosition {
                continue
            } else if afterCrash, isLast, entry.position > promised {
                positions[entry.id] = nil
            } else {
                let fact = entry.position > promised ? "" : ", which was acknowledged,"
                violation = violation ?? "\(Self.text(entry))\(fact) is lost."
            }
        }
        entries = kept
        return violation
    }

    private static func text(_ entry: Entry) -> String {
        "The event '\(entry.name)' of '\(entry.node)' at position \(entry.position)"
    }
}
#endif
