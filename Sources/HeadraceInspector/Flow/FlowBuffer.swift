//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DequeModule

/// A queue of flow entries, limited in number and size.
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

    /// The entries, the oldest first.
    private var queue: Deque<FlowEntry> = []

    init(capacity: Int, byteLimit: Int) {
        self.capacity = max(1, capacity)
        self.byteLimit = byteLimit
    }

    /// Number of entries.
    var count: Int { queue.count }

    /// All entries, the oldest first.
    var entries: [FlowEntry] { Array(queue) }

    /// The entry with this number; `nil` if it has been removed or doesn't exist yet.
    subscript(number: UInt64) -> FlowEntry? {
        first <= number && number <= last ? queue[Int(number - first)] : nil
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
        queue.append(entry)
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
        queue[Int(number - first)] = entry
        var removed: [FlowEntry] = []
        while byteCount > byteLimit, count > 1 { removeFirst(&removed) }
        return removed
    }

    /// Returns at most `limit` entries that changed after `revision`, in the order of their last change.
    func entries(after revision: UInt64, limit: Int) -> [FlowEntry] {
        if revision >= self.revision { return [] }
        let changed = entries.filter { $0.revision > revision }.sorted { $0.revision < $1.revision }
        return Array(changed.prefix(limit))
    }

    private mutating func removeFirst(_ removed: inout [FlowEntry]) {
        let entry = queue.removeFirst()
        byteCount -= entry.byteCount
        removed.append(entry)
        first += 1
    }
}
