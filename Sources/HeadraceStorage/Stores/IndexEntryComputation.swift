// SPDX-License-Identifier: Apache-2.0

/// Computes the index entries of one document from other documents, which the store reads step by step.
package protocol IndexEntryComputation {
    /// Returns the documents to read next; empty at the end.
    func nextReferences() -> [EntityReference]

    /// Continues with the documents of ``nextReferences()`` that are stored.
    mutating func take(_ documents: [EntityReference: StoredDocument]) throws

    /// Returns the entries, at the end.
    func entries() throws -> Set<ChangeSet.IndexEntry>
}
