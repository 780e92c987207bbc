// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A ring buffer of flow entries, limited in number and size.
///
/// When it is full, the oldest entry is removed.
///
/// - Complexity: Access to an entry by its number is O(1).
struct FlowBuffer: Sendable {
    /// Maximum number of entries.
    let capacity: Int

    /// Approximate maximum size of all entries in bytes.
    ///
    /// The newest entry is kept even if it is larger.
    let byteLimit: Int

    /// Number of the oldest entry.
    private(set) var first: UInt64 = 1

    /// Number of the newest entry; 0 before the first entry.
    private(set) var last: UInt64 = 0

    /// Approximate size of all entries in bytes.
    private(set) var byteCount = 0

    /// Number of changes so far.
    private(set) var revision: UInt64 = 0

    /// The entries by their number; it grows up to the capacity.
    private var slots: [FlowEntry?] = []

    init(capacity: Int, byteLimit: Int) {
        self.capacity = max(1, capacity)
        self.byteLimit = byteLimit
    }

    /// Number of entries.
    var count: Int { Int(last + 1 - first) }

    /// All entries, the oldest first.
    var entries: [FlowEntry] {
        count == 0 ? [] : (first...last).compactMap { self[$0] }
    }

    /// The entry with this number; `nil` if it has been removed or doesn't exist yet.
    subscript(number: UInt64) -> FlowEntry? {
        first <= number && number <= last ? slots[slot(number)] : nil
    }

    /// Adds `entry`, and returns the entries that were removed to make room.
    mutating func append(_ entry: FlowEntry) -> [FlowEntry] {
        var removed: [FlowEntry] = []
        if count == capacity { removeFirst(&removed) }
        last += 1
        revision += 1
        var entry = entry
        entry.number = last
        entry.revision = revision
        let index = slot(last)
        if index == slots.endIndex { slots.append(entry) } else { slots[index] = entry }
        byteCount += entry.byteCount
        while byteCount > byteLimit, count > 1 { removeFirst(&removed) }
        return removed
    }

    /// Changes the entry `number` if it is still in the buffer.
    ///
    /// - Returns: The entries that were removed to make room. The changed entry can be one of them.
    mutating func update(_ number: UInt64, _ change: (inout FlowEntry) -> Void) -> [FlowEntry] {
        guard var entry = self[number] else { return [] }
        byteCount -= entry.byteCount
        change(&entry)
        revision += 1
        entry.number = number
        entry.revision = revision
        byteCount += entry.byteCount
        slots[slot(number)] = entry
        var removed: [FlowEntry] = []
        while byteCount > byteLimit, count > 1 { removeFirst(&removed) }
        return removed
    }

    /// Returns at most `limit` entries that changed after `revision`, in the order of their last change.
    func entries(after revision: UInt64, limit: Int) -> [FlowEntry] {
        if revision >= self.revision { return [] }
        var changed: [(number: UInt64, revision: UInt64)] = []
        if count > 0 {
            for number in first...last {
                if let changedAt = slots[slot(number)]?.revision, changedAt > revision {
                    changed.append((number, changedAt))
                }
            }
        }
        changed.sort { $0.revision < $1.revision }
        return changed.prefix(limit).compactMap { self[$0.number] }
    }

    /// Returns the entries with these numbers that changed after `revision`.
    func entries(_ numbers: ClosedRange<UInt64>, after revision: UInt64) -> [FlowEntry] {
        numbers.compactMap { number in
            guard first <= number, number <= last, let entry = slots[slot(number)], entry.revision > revision else {
                return nil
            }
            return entry
        }
    }

    private mutating func removeFirst(_ removed: inout [FlowEntry]) {
        let slot = slot(first)
        if let entry = slots[slot] {
            byteCount -= entry.byteCount
            removed.append(entry)
        }
        slots[slot] = nil
        first += 1
    }

    private func slot(_ number: UInt64) -> Int { Int((number - 1) % UInt64(capacity)) }
}

/// A message or a stage in the flow.
struct FlowEntry: Sendable, Equatable, Codable {
    /// Number of the entry, counting from 1; set by the buffer.
    var number: UInt64 = 0

    /// Revision of the buffer at the last change of the entry; set by the buffer.
    var revision: UInt64 = 0

    /// Number of the entry within which, or because of which, this entry began.
    var parent: UInt64?

    /// Identifier of the message; `nil` for a stage.
    var id: UUID?

    /// Kind of the message or stage.
    var kind: String

    /// Name of the type with its module; empty if the stage has no type.
    var type: String

    /// Identifier of the message that caused this entry.
    var cause: UUID?

    /// Identifier of the first message of the chain.
    var correlation: UUID?

    /// Identifier of the principal on whose behalf the message is handled, as far as the redaction shows it.
    var principal: String?

    /// Number of the attempt of a delivery, counting from 1; `nil` if the entry isn't a delivery.
    var attempt: Int?

    /// Start time, in milliseconds since 1970.
    var began: Double

    /// Duration in milliseconds; `nil` while the handling is in progress.
    var duration: Double?

    /// Code of the outcome; `nil` while the handling is in progress.
    var outcome: String?

    /// The error, as far as the redaction shows it.
    var failure: String?

    /// The content of the message, as far as the redaction shows it.
    var payload: String?

    /// Subscription and attempt of a delivery with the remark of its handler, or the result of a request.
    var note: String?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    var hidden: HiddenContent?

    /// `true` if an earlier run of the program has recorded the entry; `nil` otherwise.
    var isEarlier: Bool?

    /// Whether the handling is in progress.
    var isOpen: Bool { duration == nil && isEarlier != true }

    /// Approximate size in bytes.
    var byteCount: Int {
        let texts = [kind, type, principal ?? "", outcome ?? "", failure ?? "", payload ?? "", note ?? ""]
        return texts.reduce(MemoryLayout<FlowEntry>.stride) { $0 + $1.utf8.count }
    }
}

/// Selects entries of the flow.
struct FlowFilter: Sendable, Equatable {
    /// Text in one of the shown texts, ignoring case.
    var search: String?

    /// Kind of the message or stage, such as `command`.
    var kind: String?

    /// Text in the name of the type, ignoring case.
    var type: String?

    /// Shortest duration in milliseconds.
    ///
    /// Entries in progress have no duration yet, so they don't match.
    var minimumDuration: Double?

    /// Whether only failures match.
    var failuresOnly = false

    /// Identifier of the first message of the chain.
    var correlation: UUID?

    /// Whether each entry matches.
    var isEmpty: Bool { self == FlowFilter() }

    /// Whether `entry` matches all criteria.
    func matches(_ entry: FlowEntry) -> Bool {
        if let kind, entry.kind != kind { return false }
        if let correlation, entry.correlation != correlation { return false }
        if failuresOnly, entry.outcome ?? "success" == "success" { return false }
        if let minimumDuration, (entry.duration ?? -1) < minimumDuration { return false }
        if let type, !Self.contains(entry.type, type) { return false }
        guard let search else { return true }
        let texts = [
            entry.kind, entry.type, entry.principal, entry.outcome, entry.failure, entry.payload, entry.note,
            entry.id?.uuidString, entry.correlation?.uuidString,
        ]
        return texts.contains { $0.map { Self.contains($0, search) } ?? false }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        text.range(of: part, options: .caseInsensitive) != nil
    }
}

/// The changes of the flow since a revision.
struct FlowView: Encodable {
    /// Revision up to which the changes are complete.
    let revision: UInt64

    /// Number of the oldest entry in the buffer.
    let first: UInt64

    /// Approximate number of messages and stages that weren't recorded, because too many came while no page was open.
    let skipped: Int

    let entries: [FlowEntry]

    /// For each kind of hidden content in the entries, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    /// The history on the disk; `nil` if there is none.
    let history: HistoryView?
}

/// Throughput and latency of the last seconds.
struct RatesView: Encodable {
    let kinds = RateHistory.kinds
    let points: [RateHistory.Point]

    /// Approximate number of messages and stages that weren't counted, because too many came while no page was open.
    let skipped: Int
}

/// Entries of the flow that have changed.
struct FlowChanges {
    /// Revision up to which the changes are complete.
    let revision: UInt64

    /// Number of the newest entry.
    let last: UInt64

    let entries: [FlowEntry]
}
