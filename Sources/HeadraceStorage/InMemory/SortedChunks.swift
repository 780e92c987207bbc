// SPDX-License-Identifier: Apache-2.0

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
