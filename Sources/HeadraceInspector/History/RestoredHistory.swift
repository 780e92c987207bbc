// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The entries of earlier runs of the program.
struct RestoredHistory: Sendable {
    private struct Key: Hashable {
        let run: Int
        let number: UInt64
    }

    /// The outcome of an entry without an end.
    static let unfinished = "unfinished"

    /// The entries in the order of their start, each in its last state, with numbers from 1.
    let entries: [FlowEntry]

    /// Approximate number of entries that were left out.
    let leftOut: Int

    /// Number of lines that aren't records.
    let unreadable: Int

    /// The highest number of a run; 0 if there is none.
    let lastRun: Int

    /// Merges `records`, which are in the order of the files, and removes entries that began before `oldest`.
    init(_ records: [HistoryRecord], unreadable: Int, since oldest: Double) {
        var latest: [Key: FlowEntry] = [:]
        for record in records {
            if let entry = record.entry { latest[Key(run: record.run, number: entry.number)] = entry }
        }
        let kept = latest.filter { $0.value.began >= oldest }
        let keys = kept.keys.sorted { ($0.run, $0.number) < ($1.run, $1.number) }
        let numbers = Dictionary(uniqueKeysWithValues: zip(keys, 1...UInt64(max(1, keys.count))))
        entries = keys.compactMap { key in
            guard var entry = kept[key] else { return nil }
            entry.number = numbers[key] ?? 0
            entry.parent = entry.parent.flatMap { numbers[Key(run: key.run, number: $0)] }
            entry.isEarlier = true
            if entry.outcome == nil { entry.outcome = Self.unfinished }
            return entry
        }
        leftOut = records.reduce(0) { $0 + ($1.leftOut ?? 0) }
        lastRun = records.map(\.run).max() ?? 0
        self.unreadable = unreadable
    }
}
