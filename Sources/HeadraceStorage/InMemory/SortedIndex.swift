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

/// Distinct elements in ascending order.
///
/// The elements are in chunks of limited size, so an insertion moves the elements of one chunk only. A copy shares the chunks
/// that don't change afterwards.
struct SortedChunks<Element: Comparable> {
    /// The position of an element, or the end.
    struct Position: Comparable {
        fileprivate var chunk: Int
        fileprivate var offset: Int

        static func < (one: Position, other: Position) -> Bool {
            one.chunk == other.chunk ? one.offset < other.offset : one.chunk < other.chunk
        }
    }

    /// Maximum number of elements in a chunk.
    static var capacity: Int { 128 }

    /// The chunks; none is empty.
    private var chunks: [[Element]] = []

    /// The last element of each chunk, so that a search for the chunk reads adjacent memory.
    private var lasts: [Element] = []

    /// Number of elements.
    private(set) var count = 0

    /// Creates an empty value.
    init() {}

    /// Creates a value with `elements`, which are distinct and in ascending order.
    init(sorted elements: [Element]) {
        count = elements.count
        for start in stride(from: 0, to: count, by: Self.capacity) {
            let chunk = elements[start..<min(start + Self.capacity, count)]
            chunks.append(Array(chunk))
            lasts.append(chunk[chunk.endIndex - 1])
        }
    }

    // MARK: Changes

    /// Inserts `element`, or does nothing if it is there.
    ///
    /// - Complexity: O(log *n*) comparisons; it moves at most one chunk, and the list of chunks if a chunk is full.
    mutating func insert(_ element: Element) {
        var position = firstPosition { element <= $0 }
        if position.chunk == chunks.endIndex {
            // Elements that arrive in ascending order fill each chunk.
            guard let last = chunks.last, last.count < Self.capacity else {
                chunks.append([element])
                lasts.append(element)
                count += 1
                return
            }
            position = Position(chunk: chunks.endIndex - 1, offset: last.count)
            lasts[position.chunk] = element
        } else if chunks[position.chunk][position.offset] == element {
            return
        }
        chunks[position.chunk].insert(element, at: position.offset)
        count += 1
        if chunks[position.chunk].count > Self.capacity { split(position.chunk) }
    }

    /// Removes `element`, or does nothing if it isn't there.
    ///
    /// - Complexity: As for ``insert(_:)``.
    mutating func remove(_ element: Element) {
        let position = firstPosition { element <= $0 }
        guard position < end, chunks[position.chunk][position.offset] == element else { return }
        chunks[position.chunk].remove(at: position.offset)
        count -= 1
        guard let last = chunks[position.chunk].last else {
            chunks.remove(at: position.chunk)
            lasts.remove(at: position.chunk)
            return
        }
        if position.offset == chunks[position.chunk].count { lasts[position.chunk] = last }
        mergeIfSmall(position.chunk)
    }

    private mutating func split(_ chunk: Int) {
        let middle = chunks[chunk].count / 2
        let upper = Array(chunks[chunk][middle...])
        chunks[chunk].removeSubrange(middle...)
        chunks.insert(upper, at: chunk + 1)
        lasts.insert(chunks[chunk][middle - 1], at: chunk)
    }

    /// Merges a small chunk with the next one, so that many removals don't leave many small chunks.
    private mutating func mergeIfSmall(_ chunk: Int) {
        guard chunk + 1 < chunks.count, chunks[chunk].count < Self.capacity / 4 else { return }
        guard chunks[chunk].count + chunks[chunk + 1].count <= Self.capacity / 2 else { return }
        chunks[chunk] += chunks[chunk + 1]
        chunks.remove(at: chunk + 1)
        lasts.remove(at: chunk)
    }

    // MARK: Positions

    /// The position of the first element.
    var start: Position { Position(chunk: 0, offset: 0) }

    /// The position after the last element.
    var end: Position { Position(chunk: chunks.count, offset: 0) }

    /// Returns the position of the first element for which `isInUpperPart` returns true, or the end.
    ///
    /// If it returns true for an element, it must return true for all greater elements.
    ///
    /// - Complexity: O(log *n*) calls of `isInUpperPart`.
    func firstPosition(where isInUpperPart: (Element) -> Bool) -> Position {
        let chunk = Self.partition(0..<lasts.count) { isInUpperPart(lasts[$0]) }
        if chunk == chunks.count { return end }
        let offset = Self.partition(0..<chunks[chunk].count) { isInUpperPart(chunks[chunk][$0]) }
        return Position(chunk: chunk, offset: offset)
    }

    private static func partition(_ range: Range<Int>, where isInUpperPart: (Int) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if isInUpperPart(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the number of elements from `start` up to but not including `end`.
    ///
    /// - Complexity: O(*c*) in the number of chunks between them.
    func count(from start: Position, to end: Position) -> Int {
        guard start < end else { return 0 }
        if start.chunk == end.chunk { return end.offset - start.offset }
        return chunks[start.chunk].count - start.offset
            + chunks[(start.chunk + 1)..<end.chunk].reduce(0) { $0 + $1.count }
            + end.offset
    }

    /// Passes the elements from `start` up to but not including `end` to `body`, in order, until it returns false.
    func forEach(from start: Position, to end: Position, _ body: (Element) -> Bool) {
        var position = start
        while position < end {
            guard body(chunks[position.chunk][position.offset]) else { return }
            position.offset += 1
            if position.offset == chunks[position.chunk].count {
                position = Position(chunk: position.chunk + 1, offset: 0)
            }
        }
    }

    /// Passes the elements before `end` to `body`, from the greatest to the smallest, until it returns false.
    func forEachReversed(before end: Position, _ body: (Element) -> Bool) {
        var position = end
        while position > start {
            if position.offset == 0 {
                position.chunk -= 1
                position.offset = chunks[position.chunk].count
            }
            position.offset -= 1
            guard body(chunks[position.chunk][position.offset]) else { return }
        }
    }
}

extension SortedChunks: Sendable where Element: Sendable {}

/// A sorted collection that is made when it is needed, and that follows later changes.
struct SortedOnDemand<Sorted, Element> {
    /// A change of the elements.
    enum Change {
        case insertion(Element)
        case removal(Element)
    }

    /// The elements without the changes in ``changes``; `nil` if nothing has read them in order.
    private var sorted: Sorted?

    /// The changes since the last read in order.
    private var changes: [Change] = []

    /// Maximum number of changes that are noted: beyond it, sorting all elements again is cheaper.
    private static var changeLimit: Int { 100_000 }

    /// Notes a change, unless nothing has read the elements in order.
    mutating func note(_ change: @autoclosure () -> Change) {
        if sorted == nil { return }
        if changes.count < Self.changeLimit {
            changes.append(change())
        } else {
            sorted = nil
            changes = []
        }
    }

    /// Returns the sorted elements.
    ///
    /// - Parameters:
    ///   - sort: Sorts all elements.
    ///   - insert: Inserts an element.
    ///   - remove: Removes an element.
    /// - Returns: All elements, with the changes since the last call.
    mutating func value(
        orElse sort: () -> Sorted,
        insert: (inout Sorted, Element) -> Void,
        remove: (inout Sorted, Element) -> Void
    ) -> Sorted {
        var current = sorted ?? sort()
        // The only reference, so that the changes don't copy the elements.
        sorted = nil
        for change in changes {
            switch change {
            case .insertion(let element): insert(&current, element)
            case .removal(let element): remove(&current, element)
            }
        }
        changes = []
        sorted = current
        return current
    }
}

extension SortedOnDemand.Change: Sendable where Element: Sendable {}
extension SortedOnDemand: Sendable where Sorted: Sendable, Element: Sendable {}

/// An index of the documents of one kind in an ``InMemoryStore``.
///
/// The entries are sorted when they are read in order for the first time. Later changes are noted, and the next read in
/// order inserts them. So an insertion costs the same whether the index has an order or not.
struct InMemoryIndex {
    /// The keys of the documents with each value.
    private(set) var keys: [IndexValue: Set<BytewiseString>] = [:]

    private var sorted = SortedOnDemand<SortedIndex, SortedIndex.Entry>()

    /// Adds a value of the document with `key`.
    mutating func insert(_ value: IndexValue, of key: BytewiseString) {
        keys[value, default: []].insert(key)
        sorted.note(.insertion(SortedIndex.Entry(value: value, key: key)))
    }

    /// Removes a value of the document with `key`, if it is there.
    mutating func remove(_ value: IndexValue, of key: BytewiseString) {
        keys[value]?.remove(key)
        if keys[value]?.isEmpty == true { keys[value] = nil }
        sorted.note(.removal(SortedIndex.Entry(value: value, key: key)))
    }

    /// Returns the entries in their order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of entries at first; then O(*m* log *n*) in the number *m* of changes since
    ///   the last call.
    mutating func sortedEntries() -> SortedIndex {
        let keys = keys
        return sorted.value(orElse: { SortedIndex(keys) }, insert: { $0.insert($1) }, remove: { $0.remove($1) })
    }
}
