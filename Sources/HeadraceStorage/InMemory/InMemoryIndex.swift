// SPDX-License-Identifier: Apache-2.0

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
