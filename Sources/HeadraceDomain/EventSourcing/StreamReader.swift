//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStorage

/// Reads the streams of entities and folds their states.
enum StreamReader {
    /// Maximum number of documents to read at once.
    private static let limit = 1_000

    /// Returns the entities of `documents` with their states, in the same order.
    ///
    /// An entity that another writer has deleted since is left out, and if another writer has inserted it again, the new
    /// entity is returned.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; ``EventSourcingError``; `CancellationError`.
    nonisolated(nonsending) static func read<Entity: EventSourcedEntity>(
        _ documents: [StoredDocument],
        as type: Entity.Type,
        from reader: any EntityReader
    ) async throws -> [LoadedStream] {
        var folds = try documents.map { try StreamFold<Entity>($0) }
        try await fold(&folds, from: reader)
        while true {
            let stale = folds.indices.filter { folds[$0].missingEvent != nil }
            if stale.isEmpty { break }
            // The stream was deleted after its entity was read, or it is damaged.
            var current: [EntityReference: StoredDocument] = [:]
            for document in try await reader.find(all: stale.map { folds[$0].document.reference }) {
                current[document.reference] = document
            }
            var again: [StreamFold<Entity>] = []
            var kept: [Int] = []
            for index in stale {
                guard let document = current[folds[index].document.reference] else { continue }
                if document == folds[index].document { _ = try folds[index].result() }
                again.append(try StreamFold(document))
                kept.append(index)
            }
            try await fold(&again, from: reader)
            for (index, fold) in zip(kept, again) { folds[index] = fold }
            let gone = Set(stale).subtracting(kept)
            folds = folds.indices.filter { !gone.contains($0) }.map { folds[$0] }
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
