// SPDX-License-Identifier: Apache-2.0

/// The entries of one index of an ``InMemoryStore``, in their order.
struct SortedIndex {
    /// One value of one document.
    struct Entry: Comparable {
        let value: IndexValue
        let key: BytewiseString

        static func == (one: Entry, other: Entry) -> Bool { one.compare(other) == 0 }

        static func < (one: Entry, other: Entry) -> Bool { one.compare(other) < 0 }

        private func compare(_ other: Entry) -> Int {
            let order = value.compare(other.value)
            return order == 0 ? key.compare(other.key) : order
        }
    }

    /// The entries, ordered by value, then by key.
    private(set) var entries: SortedChunks<Entry>

    /// The values of each document in the index, in ascending order.
    private var values: [BytewiseString: [IndexValue]] = [:]

    /// Sorts the entries of an index.
    ///
    /// - Complexity: O(*n* log *n*) in the number of entries.
    init(_ keys: [IndexValue: Set<BytewiseString>]) {
        var all: [Entry] = []
        for (value, keys) in keys {
            for key in keys { all.append(Entry(value: value, key: key)) }
        }
        all.sort()
        entries = SortedChunks(sorted: all)
        for entry in all { values[entry.key, default: []].append(entry.value) }
    }

    /// Adds an entry, which must not be there yet.
    mutating func insert(_ entry: Entry) {
        entries.insert(entry)
        var all = values[entry.key] ?? []
        all.insert(entry.value, at: all.firstIndex { $0 > entry.value } ?? all.endIndex)
        values[entry.key] = all
    }

    /// Removes an entry, if it is there.
    mutating func remove(_ entry: Entry) {
        entries.remove(entry)
        let left = values[entry.key]?.filter { $0 != entry.value } ?? []
        values[entry.key] = left.isEmpty ? nil : left
    }

    /// Whether the document with this key has a value for which `accepts` returns true.
    func contains(_ key: BytewiseString, where accepts: (IndexValue) -> Bool) -> Bool {
        values[key]?.contains(where: accepts) ?? false
    }

    /// Returns the value at which the document with this key occurs in the order, or `nil` if it has none.
    func value(of key: BytewiseString, isDescending: Bool) -> IndexValue? {
        isDescending ? values[key]?.last : values[key]?.first
    }

    /// Whether `entry` is the entry at which its document occurs in the order.
    func isPlace(_ entry: Entry, isDescending: Bool) -> Bool {
        // Without a document of several values, the look-up isn't necessary.
        entries.count == values.count || value(of: entry.key, isDescending: isDescending) == entry.value
    }

    /// Returns the entries with values from `lower` up to but not including `upper`.
    func range(from lower: IndexValue?, below upper: IndexValue?) -> Range<SortedChunks<Entry>.Position> {
        let start = lower.map { lower in entries.firstPosition { $0.value >= lower } } ?? entries.start
        let end = upper.map { upper in entries.firstPosition { $0.value >= upper } } ?? entries.end
        return start..<max(start, end)
    }
}

extension IndexValue {
    /// Returns a negative number if the value precedes `other`, zero if they are equal, otherwise a positive number.
    fileprivate func compare(_ other: IndexValue) -> Int {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.integer, .text): -1
        case (.text, .integer): 1
        case (.text(let one), .text(let other)): BytewiseString(one).compare(BytewiseString(other))
        }
    }
}
