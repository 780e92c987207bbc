// SPDX-License-Identifier: Apache-2.0

/// The documents of an ``InMemoryStore`` by kind and key.
struct InMemoryDocuments {
    private struct Kind {
        let name: String
        var documents: [BytewiseString: StoredDocument] = [:]
        var sortedKeys = SortedOnDemand<SortedChunks<BytewiseString>, BytewiseString>()
    }

    /// A store has few kinds, and comparing their names is faster than hashing one.
    private var kinds: [Kind] = []

    /// The documents of the kind `name`, by key.
    subscript(name: String) -> [BytewiseString: StoredDocument] {
        index(of: name).map { kinds[$0].documents } ?? [:]
    }

    /// Returns the document of an entity, or `nil` if there is none.
    func find(_ reference: EntityReference) -> StoredDocument? {
        index(of: reference.kind).flatMap { kinds[$0].documents[BytewiseString(reference.key)] }
    }

    /// Whether `document` is stored, and not another document of the same entity.
    func contains(_ document: StoredDocument) -> Bool {
        guard let index = index(of: document.reference.kind) else { return false }
        return kinds[index].documents[BytewiseString(document.reference.key)] == document
    }

    /// Keeps `document` instead of the document with the same reference.
    mutating func update(_ document: StoredDocument) {
        let index = index(of: document.reference.kind) ?? add(document.reference.kind)
        let key = BytewiseString(document.reference.key)
        if kinds[index].documents.updateValue(document, forKey: key) == nil {
            kinds[index].sortedKeys.note(.insertion(key))
        }
    }

    /// Removes the document of an entity.
    mutating func remove(_ reference: EntityReference) {
        guard let index = index(of: reference.kind) else { return }
        let key = BytewiseString(reference.key)
        kinds[index].documents[key] = nil
        kinds[index].sortedKeys.note(.removal(key))
    }

    /// Returns the keys of the documents of the kind `name`, in ascending order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of documents at first; then O(*m* log *n*) in the number *m* of changes since
    ///   the last call.
    mutating func sortedKeys(of name: String) -> SortedChunks<BytewiseString> {
        guard let index = index(of: name) else { return SortedChunks() }
        let keys = kinds[index].documents.keys
        return kinds[index].sortedKeys.value(
            orElse: { SortedChunks(sorted: keys.sorted()) },
            insert: { $0.insert($1) },
            remove: { $0.remove($1) }
        )
    }

    private func index(of name: String) -> Int? {
        kinds.firstIndex { $0.name == name }
    }

    private mutating func add(_ name: String) -> Int {
        kinds.append(Kind(name: name))
        return kinds.count - 1
    }
}
