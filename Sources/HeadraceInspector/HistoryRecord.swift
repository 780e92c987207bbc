// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON

/// The first line of a file of a history.
struct HistoryHeader: Codable {
    static let currentVersion = 1
    static let currentForm = "headrace.inspector.history"

    /// Numbers in a file that are larger than this aren't of a history.
    static let numberLimit = 1 << 40

    var form = Self.currentForm
    var version = Self.currentVersion

    /// The number of the file, counting from 1; the files with even and odd numbers replace each other.
    var segment: Int

    /// The time when the file was begun, in milliseconds since 1970.
    var began: Double
}

/// The form and the version of a file, which all versions have.
struct HistoryForm: Decodable {
    var form: String
    var version: Int
}

/// A line of a history: an entry of the flow at one of its changes, or a number of missing entries.
struct HistoryRecord: Codable {
    /// The number of the run of the program, counting from 1.
    var run: Int

    /// The entry, whose number is unique in its run.
    var entry: FlowEntry?

    /// Approximate number of entries that were left out since the line before.
    var leftOut: Int?

    /// The record of a line; `nil` if the line isn't one.
    init?(line: Data) {
        guard let record = try? JSONDocumentDecoder.decode(HistoryRecord.self, from: line), record.isValid else {
            return nil
        }
        self = record
    }

    init(run: Int, entry: FlowEntry? = nil, leftOut: Int? = nil) {
        self.run = run
        self.entry = entry
        self.leftOut = leftOut
    }

    private var isValid: Bool {
        let numbers = 0...HistoryHeader.numberLimit
        guard numbers.contains(run), numbers.contains(leftOut ?? 0), (entry == nil) != (leftOut == nil) else {
            return false
        }
        guard let entry else { return true }
        // The limit of a date in a browser.
        return abs(entry.began) <= 8.64e15 && (entry.duration ?? 0) >= 0
    }
}

extension Encodable {
    /// The JSON with the end of its line.
    func historyLine() throws -> Data {
        try JSONDocumentEncoder.encode(self) + [UInt8(ascii: "\n")]
    }
}

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
