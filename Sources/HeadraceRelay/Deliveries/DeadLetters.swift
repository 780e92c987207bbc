//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

/// Access to the dead-letter queue of a store: list, replay, or discard messages that could not be delivered.
///
/// ```swift
/// let deadLetters = DeadLetters(in: store)
/// for letter in try await deadLetters.page() {
///     print(letter.id, letter.subscription, letter.reason)
/// }
/// try await deadLetters.replay([42])
/// ```
///
/// A dead letter stays until it is replayed or discarded. The later events of the same stream were delivered to the
/// subscription without it. A replayed dead letter comes after them.
public struct DeadLetters: Sendable {
    private let store: any DeliveryStore

    /// Creates access to the dead letters in `store`.
    public init(in store: any DeliveryStore) {
        self.store = store
    }

    /// Returns a page of dead letters, the oldest first.
    ///
    /// - Parameters:
    ///   - id: The identifier of the last dead letter on the previous page; 0, the default, for the first page.
    ///   - subscription: The subscription of the dead letters, or `nil` for all subscriptions.
    ///   - limit: Maximum number of dead letters.
    /// - Returns: The page; empty after the last page.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func page(
        after id: Int64 = 0,
        of subscription: String? = nil,
        limit: Int = 100
    ) async throws -> [DeadLetter] {
        try await store.deadLetters(after: id, of: subscription, limit: limit)
    }

    /// Returns the dead letter `id`, or `nil` if it doesn't exist any longer.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func find(_ id: Int64) async throws -> DeadLetter? {
        try await store.deadLetter(id)
    }

    /// Delivers dead letters again, starting with the first attempt; unknown identifiers are skipped.
    ///
    /// - Returns: Number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func replay(_ ids: [Int64]) async throws -> Int {
        try await store.replayDeadLetters(ids)
    }

    /// Delivers all dead letters of `subscription` again, in the order in which they became dead letters.
    ///
    /// - Returns: Number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func replayAll(of subscription: String) async throws -> Int {
        // Deliveries that fail again meanwhile get greater identifiers, so this loop ends with the dead letters at its
        // start.
        var ids: [Int64] = []
        while true {
            let page = try await page(after: ids.last ?? 0, of: subscription)
            if page.isEmpty { break }
            ids += page.map(\.id)
        }
        return try await replay(ids)
    }

    /// Discards dead letters for good; unknown identifiers are skipped.
    ///
    /// - Returns: Number of discarded dead letters.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func discard(_ ids: [Int64]) async throws -> Int {
        try await store.discardDeadLetters(ids)
    }
}
