// SPDX-License-Identifier: Apache-2.0

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
