// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
package import HeadraceStorage

/// A row of a projection that isn't the one that the log gives.
package struct ProjectionDeviation: Sendable {
    /// The name of the projection and its version, divided by a slash.
    package let projection: String

    /// The stored text of the row's identifier.
    package let key: String

    /// The stored row as JSON; `nil` if it doesn't exist.
    package let stored: String?

    /// The row as JSON that the log gives; `nil` if it gives none.
    package let computed: String?
}

// Compares the stored rows with a fold of the log.
extension Projections {
    /// Returns the first version that has not applied the whole log of `store`, in words; `nil` if there is none.
    package nonisolated(nonsending) func lag(in store: any DeliveryStore) async throws -> String? {
        let end = try await store.deliveryStatistics().lastPosition
        let context = EntityContext(store)
        for definition in definitions {
            let stored = try await context.find(StoredProjection.self, id: definition.version.text)
            let position = stored?.position ?? 0
            if stored?.isReady != true || position < end {
                return "The projection '\(definition.version.text)' is at position \(position) of \(end)."
            }
        }
        return nil
    }

    /// Computes the rows of all declared versions from the whole log of `store`, and compares the stored rows with them.
    ///
    /// - Returns: The deviations, sorted by projection and key.
    /// - Throws: ``ProjectionError`` if an event can't be applied; ``HeadraceStorage/StoreError``.
    package nonisolated(nonsending) func deviations(in store: any DeliveryStore) async throws -> [ProjectionDeviation] {
        var deviations: [ProjectionDeviation] = []
        for definition in definitions {
            let stored = try await rows(of: definition.version, in: store)
            let computed = try await rows(of: definition.version, in: fold(definition, store))
            for key in Set(stored.keys).union(computed.keys).sorted() where stored[key] != computed[key] {
                deviations.append(
                    ProjectionDeviation(
                        projection: definition.version.text, key: key, stored: stored[key]?.content,
                        computed: computed[key]?.content))
            }
        }
        return deviations
    }

    /// Returns a store with the rows that the whole log of `store` gives.
    private nonisolated(nonsending) func fold(
        _ definition: ProjectionDefinition, _ store: any DeliveryStore
    ) async throws -> InMemoryStore {
        let target = try InMemoryStore(entities: Projections.entities)
        var position: Int64 = 0
        while true {
            let records = try await store.events(after: position, limit: 500)
            guard let last = records.last else { return target }
            let (events, stop) = definition.decode(records)
            if let stop { throw ProjectionError.stopped(definition.version, stop) }
            do {
                try await UnitOfWork(delegator: NoDelegator(), context: EntityContext(target)).execute { context in
                    try await definition.apply(events, context)
                }
            } catch let stop as ProjectionStop {
                throw ProjectionError.stopped(definition.version, stop)
            }
            position = last.position
        }
    }

    private struct Row: Equatable {
        let values: [String?]
        let content: String
    }

    /// Returns the rows of `version`, by the stored text of their identifiers.
    private nonisolated(nonsending) func rows(
        of version: ProjectionVersion, in store: any DeliveryStore
    ) async throws -> [String: Row] {
        let stored = try await EntityContext(store).fetch(
            StoredProjectionRow.self, where: [.equals(.version, version.text)])
        let rows = stored.map { row in
            (String(row.id.storageKey.dropFirst(version.prefix.count)), Row(values: row.values, content: row.content))
        }
        return Dictionary(rows) { $1 }
    }
}
