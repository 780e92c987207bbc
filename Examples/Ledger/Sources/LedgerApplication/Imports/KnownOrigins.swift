// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace

/// A part of the fingerprints of all transactions of a journal at one import.
public final class KnownOrigins: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "known-origins"

    /// Number of origins in each part except the last.
    private static let partSize = 2_048

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier of the list and the number of the part.
    public let id: String

    /// The fingerprints by which each transaction is known, in the order of the journal; see ``JournalOrigin``.
    let origins: [[Fingerprint]]

    private init(of list: UUID, number: Int, origins: [[Fingerprint]]) {
        id = Self.name(of: list, number: number)
        self.origins = origins
    }

    /// A stored list of transactions.
    struct List: Sendable, Hashable, Codable {
        /// The identifier of the list.
        let id: UUID

        /// Number of parts.
        let partCount: Int
    }

    /// Stores `origins` as the list `id`.
    static func insert(_ origins: [[Fingerprint]], as id: UUID, in context: EntityContext) -> List {
        let starts = Array(stride(from: 0, to: origins.count, by: partSize))
        for (number, start) in starts.enumerated() {
            let part = Array(origins[start..<min(start + partSize, origins.count)])
            context.insert(KnownOrigins(of: id, number: number, origins: part))
        }
        return List(id: id, partCount: starts.count)
    }

    /// Returns the origins of `list`.
    ///
    /// - Throws: `StoreError`.
    static func read(_ list: List, in context: EntityContext) async throws -> [[Fingerprint]] {
        try await parts(of: list, in: context).flatMap(\.origins)
    }

    /// Deletes `list`.
    ///
    /// - Throws: `StoreError`.
    static func delete(_ list: List, in context: EntityContext) async throws {
        for part in try await parts(of: list, in: context) { context.delete(part) }
    }

    private static func parts(of list: List, in context: EntityContext) async throws -> [KnownOrigins] {
        try await context.find(KnownOrigins.self, ids: (0..<list.partCount).map { name(of: list.id, number: $0) })
    }

    private static func name(of list: UUID, number: Int) -> String { "\(list)/\(number)" }
}
