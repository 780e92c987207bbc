// SPDX-License-Identifier: Apache-2.0

/// A query of an ``InMemoryStore`` while it is executed.
struct InMemoryFetch {
    /// A condition, and the documents that match it.
    private enum Filter {
        /// The keys of the documents.
        case keys(Set<BytewiseString>)

        /// The entries of the documents, in the order of their values.
        case range(IndexPredicate, SortedIndex, Range<SortedChunks<SortedIndex.Entry>.Position>, count: Int)

        /// Number of entries that match.
        var count: Int {
            switch self {
            case .keys(let keys): keys.count
            case .range(_, _, _, let count): count
            }
        }

        func accepts(_ key: BytewiseString) -> Bool {
            switch self {
            case .keys(let keys): keys.contains(key)
            case .range(let test, let index, _, _): index.contains(key, where: test.accepts)
            }
        }
    }

    private let query: DocumentQuery
    private let documents: [BytewiseString: StoredDocument]

    /// The keys of the documents in ascending order, if the fetch reads them in this order.
    private let keys: SortedChunks<BytewiseString>?

    /// The index of the order, or `nil` if the query has no order or the index has no entries.
    private let order: SortedIndex?

    /// The conditions, the one with the fewest matches first.
    private let filters: [Filter]

    private var found: [StoredDocument] = []

    /// Number of keys and entries that the fetch has read so far.
    private(set) var readCount = 0

    /// Prepares a fetch.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - documents: The documents of its kind.
    ///   - keys: The keys of the documents in ascending order, if the query has neither conditions nor an order.
    ///   - sorted: The sorted entries of the index of the order, and of the indexes with a condition for a range.
    ///   - matches: Returns the keys of the documents with a value in the index of this name.
    init(
        _ query: DocumentQuery,
        documents: [BytewiseString: StoredDocument],
        keys: SortedChunks<BytewiseString>?,
        sorted: [String: SortedIndex],
        matches: (String, IndexValue) -> Set<BytewiseString>
    ) {
        self.query = query
        self.documents = documents
        self.keys = keys
        order = query.order.flatMap { sorted[$0.index] }
        filters = query.conditions.map { condition in
            switch condition.test {
            case .oneOf(let values):
                var keys: Set<BytewiseString>?
                for value in values {
                    let more = matches(condition.index, value)
                    keys = keys?.union(more) ?? more
                }
                return .keys(keys ?? [])
            case .range(let lower, let upper):
                guard let index = sorted[condition.index] else { return .keys([]) }
                let part = index.range(from: lower, below: upper)
                let count = index.entries.count(from: part.lowerBound, to: part.upperBound)
                return .range(condition.test, index, part, count: count)
            }
        }
        .sorted { $0.count < $1.count }
    }

    private var limit: Int { max(0, query.limit ?? .max) }
    private var isDescending: Bool { query.order?.isDescending ?? false }

    /// Returns the documents that match the query, in its order.
    mutating func run() -> [StoredDocument] {
        if limit == 0 || query.order != nil && order == nil { return [] }
        if let filter = filters.first, order.map({ !isWalkCheaper($0, than: filter) }) ?? true {
            collect(filter)
        } else if let order {
            walk(order)
        } else if let keys {
            walk(keys)
        }
        return found
    }

    /// Whether reading in order until the limit is reached probably takes fewer steps than sorting the matches of `filter`.
    ///
    /// It assumes that the matches are spread evenly over the order.
    private func isWalkCheaper(_ order: SortedIndex, than filter: Filter) -> Bool {
        let total = Double(order.entries.count)
        let matches = Double(filter.count)
        let logarithm = Double(Int.bitWidth - filter.count.leadingZeroBitCount)
        return min(total, Double(limit) * total / max(1, matches)) < matches * logarithm
    }

    /// Adds the document with this key if it fulfils the conditions; returns whether the limit allows more.
    private mutating func add(_ key: BytewiseString) -> Bool {
        if filters.allSatisfy({ $0.accepts(key) }), let document = documents[key] { found.append(document) }
        return found.count < limit
    }

    // MARK: Reading in order

    private mutating func walk(_ keys: SortedChunks<BytewiseString>) {
        let start = query.after.map { after in
            let last = BytewiseString(after.key)
            return keys.firstPosition { $0 > last }
        }
        keys.forEach(from: start ?? keys.start, to: keys.end) { key in
            readCount += 1
            return add(key)
        }
    }

    private mutating func walk(_ order: SortedIndex) {
        let isDescending = isDescending
        let after = query.after.flatMap { after in
            after.value.map { SortedIndex.Entry(value: $0, key: BytewiseString(after.key)) }
        }
        // A place without a value is compared by key.
        let keyAfter = after == nil ? query.after.map { BytewiseString($0.key) } : nil

        func take(_ entry: SortedIndex.Entry) -> Bool {
            readCount += 1
            if let keyAfter, isDescending ? entry.key >= keyAfter : entry.key <= keyAfter { return true }
            return order.isPlace(entry, isDescending: isDescending) ? add(entry.key) : true
        }

        if isDescending {
            let end = after.map { after in order.entries.firstPosition { $0 >= after } }
            order.entries.forEachReversed(before: end ?? order.entries.end, take)
        } else {
            let start = after.map { after in order.entries.firstPosition { $0 > after } }
            order.entries.forEach(from: start ?? order.entries.start, to: order.entries.end, take)
        }
    }

    // MARK: Sorting the matches of a condition

    private mutating func collect(_ filter: Filter) {
        var matching: Set<BytewiseString> = []
        switch filter {
        case .keys(let keys):
            matching = keys
            readCount += keys.count
        case .range(_, let index, let part, _):
            index.entries.forEach(from: part.lowerBound, to: part.upperBound) { entry in
                readCount += 1
                matching.insert(entry.key)
                return true
            }
        }
        let isDescending = isDescending
        var places: [DocumentQuery.Place] = []
        for key in matching where filters.dropFirst().allSatisfy({ $0.accepts(key) }) {
            var value: IndexValue?
            if let order {
                value = order.value(of: key, isDescending: isDescending)
                if value == nil { continue }
            }
            let place = DocumentQuery.Place(value: value, key: key.text)
            if let last = query.after, isDescending ? place >= last : place <= last { continue }
            places.append(place)
        }
        places.sort()
        if isDescending { places.reverse() }
        found = places.prefix(limit).compactMap { documents[BytewiseString($0.key)] }
    }
}
