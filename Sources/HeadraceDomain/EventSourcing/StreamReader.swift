// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// Reads the streams of entities and folds their states.
enum StreamReader {
    /// Maximum number of documents to read at once.
    static let limit = 1_000

    /// The number of reads after which a snapshot that is replaced during each of them is no longer waited for.
    private static let maximumRounds = 3

    /// Returns the entities of `documents` with their states, in the same order.
    ///
    /// An entity that another writer has deleted since is left out, and if another writer has inserted it again, the new
    /// entity is returned. If another writer has replaced the snapshot since, the newer state is returned.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; ``EventSourcingError``; `CancellationError`.
    nonisolated(nonsending) static func read<Entity: EventSourcedEntity>(
        _ documents: [StoredDocument],
        as type: Entity.Type,
        from reader: any EntityReader
    ) async throws -> [LoadedStream] {
        var folds = try documents.map { try StreamFold<Entity>($0) }
        var rounds = 1
        try await fold(&folds, from: reader)
        while true {
            let incomplete = folds.indices.filter { folds[$0].isIncomplete }
            if incomplete.isEmpty { break }
            // Since its entity was read, another writer has deleted the stream or replaced its snapshot; or it is damaged.
            var current: [EntityReference: StoredDocument] = [:]
            for document in try await reader.find(all: incomplete.map { folds[$0].document.reference }) {
                current[document.reference] = document
            }
            var deleted: Set<Int> = []
            for index in incomplete {
                guard let document = current[folds[index].document.reference] else {
                    deleted.insert(index)
                    continue
                }
                let isSame = document == folds[index].document
                let isLate = try rounds >= maximumRounds && folds[index].isSameStream(as: document)
                if isSame || isLate {
                    try folds[index].acceptMissingDocument()
                } else {
                    folds[index] = try StreamFold(document)
                }
            }
            if !deleted.isEmpty { folds = folds.indices.filter { !deleted.contains($0) }.map { folds[$0] } }
            rounds += 1
            try await fold(&folds, from: reader)
        }
        return try folds.map { try $0.result() }
    }

    private nonisolated(nonsending) static func fold<Entity: EventSourcedEntity>(
        _ folds: inout [StreamFold<Entity>],
        from reader: any EntityReader
    ) async throws {
        var first = 0
        while first < folds.count {
            var wanted: [EntityReference] = []
            var parts: [(fold: Int, range: Range<Int>)] = []
            var index = first
            while index < folds.count, wanted.count < limit {
                let next = folds[index].nextReferences(limit: limit - wanted.count)
                if next.isEmpty, index == first {
                    first += 1
                } else if !next.isEmpty {
                    parts.append((index, wanted.count..<wanted.count + next.count))
                    wanted += next
                }
                index += 1
            }
            if wanted.isEmpty { continue }
            var found: [EntityReference: StoredDocument] = [:]
            for document in try await reader.find(all: wanted) { found[document.reference] = document }
            let documents = wanted.map { found[$0] }
            for part in parts { try folds[part.fold].take(documents[part.range]) }
        }
    }
}
