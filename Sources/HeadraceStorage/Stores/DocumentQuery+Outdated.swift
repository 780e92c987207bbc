// SPDX-License-Identifier: Apache-2.0

/// A document with its entries in all declared indexes.
package struct IndexedDocument: Sendable {
    let document: StoredDocument

    /// The entries in all declared indexes.
    package let entries: Set<ChangeSet.IndexEntry>

    /// Creates a pair of a document and its entries.
    package init(_ document: StoredDocument, _ entries: Set<ChangeSet.IndexEntry>) {
        self.document = document
        self.entries = entries
    }

    /// The reference of the document.
    package var reference: EntityReference { document.reference }

    /// Returns the entries in one index.
    package func entries(in index: String) -> Set<ChangeSet.IndexEntry> {
        entries.filter { $0.index == index }
    }
}

extension DocumentQuery {
    /// The names of the indexes that the query uses.
    package var indexes: Set<String> {
        Set(conditions.map(\.index) + (order.map { [$0.index] } ?? []))
    }

    /// Returns the query with a limit that still suffices after `count` of its results are removed.
    package func widened(by count: Int) -> DocumentQuery {
        let wider = limit.flatMap { limit in
            let (sum, isTooLarge) = max(0, limit).addingReportingOverflow(count)
            return isTooLarge ? nil : sum
        }
        return DocumentQuery(kind: kind, conditions: conditions, order: order, after: after, limit: wider)
    }

    /// Corrects the results of the query, as far as documents have other entries than the stored indexes.
    ///
    /// - Parameters:
    ///   - found: The results of the query ``widened(by:)`` the number of `outdated` documents.
    ///   - outdated: All documents of the kind whose stored entries are out of date, from the same snapshot.
    /// - Returns: The results that complete indexes would have, in the order of the query.
    package func corrected(_ found: [IndexedDocument], outdated: [IndexedDocument]) -> [StoredDocument] {
        let keys = Set(outdated.map { BytewiseString($0.document.reference.key) })
        var results: [(place: Place, document: StoredDocument)] = []
        for item in found where !keys.contains(BytewiseString(item.document.reference.key)) {
            results.append((place(of: item) ?? Place(value: nil, key: item.document.reference.key), item.document))
        }
        let isDescending = order?.isDescending ?? false
        for item in outdated where isMatch(item.entries) {
            guard let place = place(of: item) else { continue }
            if let after, isDescending ? place >= after : place <= after { continue }
            results.append((place, item.document))
        }
        results.sort { isDescending ? $0.place > $1.place : $0.place < $1.place }
        return results.prefix(max(0, limit ?? .max)).map(\.document)
    }

    private func isMatch(_ entries: Set<ChangeSet.IndexEntry>) -> Bool {
        conditions.allSatisfy { condition in
            entries.contains { $0.index == condition.index && condition.test.accepts($0.value) }
        }
    }

    /// Returns the place of a document in the order, or `nil` if it has no value there.
    private func place(of item: IndexedDocument) -> Place? {
        let key = item.document.reference.key
        guard let order else { return Place(value: nil, key: key) }
        let values = item.entries.lazy.filter { $0.index == order.index }.map(\.value)
        return (order.isDescending ? values.max() : values.min()).map { Place(value: $0, key: key) }
    }
}
