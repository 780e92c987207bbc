//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The last entries of the flow, as many as its limits allow; the oldest goes first.
///
/// Finding an entry by its number takes constant time.
struct FlowBuffer: Sendable {
    /// How many entries it holds at the most.
    let capacity: Int

    /// How many bytes its entries take at the most; the newest stays, whatever it takes.
    let byteLimit: Int

    /// The number of the oldest entry that is kept.
    private(set) var first: UInt64 = 1

    /// The number of the newest entry; 0 where there was none.
    private(set) var last: UInt64 = 0

    /// About how many bytes the entries take.
    private(set) var byteCount = 0

    /// Grows with each change.
    private(set) var revision: UInt64 = 0

    private var slots: [FlowEntry?]

    init(capacity: Int, byteLimit: Int) {
        self.capacity = max(1, capacity)
        self.byteLimit = byteLimit
        slots = Array(repeating: nil, count: self.capacity)
    }

    /// How many entries there are.
    var count: Int { Int(last + 1 - first) }

    /// The entries, the oldest first.
    var entries: [FlowEntry] {
        count == 0 ? [] : (first...last).compactMap { self[$0] }
    }

    /// The entry `number`, unless it has gone.
    subscript(number: UInt64) -> FlowEntry? {
        first <= number && number <= last ? slots[slot(number)] : nil
    }

    /// Adds `entry`, and gives those that had to go.
    mutating func append(_ entry: FlowEntry) -> [FlowEntry] {
        var gone: [FlowEntry] = []
        if count == capacity { removeFirst(&gone) }
        last += 1
        revision += 1
        var entry = entry
        entry.number = last
        entry.revision = revision
        slots[slot(last)] = entry
        byteCount += entry.byteCount
        while byteCount > byteLimit, count > 1 { removeFirst(&gone) }
        return gone
    }

    /// Changes the entry `number`, unless it has gone; gives those that had to go, which it may be itself.
    mutating func update(_ number: UInt64, _ change: (inout FlowEntry) -> Void) -> [FlowEntry] {
        guard var entry = self[number] else { return [] }
        byteCount -= entry.byteCount
        change(&entry)
        revision += 1
        entry.number = number
        entry.revision = revision
        byteCount += entry.byteCount
        slots[slot(number)] = entry
        var gone: [FlowEntry] = []
        while byteCount > byteLimit, count > 1 { removeFirst(&gone) }
        return gone
    }

    /// The entries that have changed since `revision`, in the order of their last change, `limit` at the most.
    func entries(after revision: UInt64, limit: Int) -> [FlowEntry] {
        if revision >= self.revision { return [] }
        let changed = entries.filter { $0.revision > revision }.sorted { $0.revision < $1.revision }
        return Array(changed.prefix(limit))
    }

    private mutating func removeFirst(_ gone: inout [FlowEntry]) {
        let slot = slot(first)
        if let entry = slots[slot] {
            byteCount -= entry.byteCount
            gone.append(entry)
        }
        slots[slot] = nil
        first += 1
    }

    private func slot(_ number: UInt64) -> Int { Int((number - 1) % UInt64(capacity)) }
}
