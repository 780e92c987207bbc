//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

/// What could not be delivered: to look at, to deliver again, or to discard.
///
/// ```swift
/// let deadLetters = DeadLetters(in: store)
/// for letter in try await deadLetters.page() {
///     print(letter.id, letter.subscription, letter.reason)
/// }
/// try await deadLetters.replay([42])
/// ```
///
/// Nothing becomes of a dead letter by itself. The events after it, of the same stream and to the same subscription, were
/// delivered without it; one that is replayed comes after them.
public struct DeadLetters: Sendable {
    private let store: any DeliveryStore

    /// Gives access to the dead letters in `store`.
    public init(in store: any DeliveryStore) {
        self.store = store
    }

    /// Gives a page of dead letters, the oldest first.
    ///
    /// - Parameters:
    ///   - id: The identifier of the last one of the page before; 0, the default, for the first page.
    ///   - subscription: Whose; those of all unless given.
    ///   - limit: How many at the most.
    /// - Returns: The page; empty after the last one.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func page(
        after id: Int64 = 0,
        of subscription: String? = nil,
        limit: Int = 100
    ) async throws -> [DeadLetter] {
        try await store.deadLetters(after: id, of: subscription, limit: limit)
    }

    /// Gives the dead letter `id`, or `nil` where there is none any more.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func find(_ id: Int64) async throws -> DeadLetter? {
        try await store.deadLetter(id)
    }

    /// Has dead letters delivered again, from the first attempt on; those that are no longer there are passed over.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func replay(_ ids: [Int64]) async throws -> Int {
        try await store.replayDeadLetters(ids)
    }

    /// Has all dead letters of `subscription` delivered again, in the order in which they were given up.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func replayAll(of subscription: String) async throws -> Int {
        // Those that are given up again meanwhile have greater identifiers: this ends with what there was.
        var ids: [Int64] = []
        while true {
            let page = try await page(after: ids.last ?? 0, of: subscription)
            if page.isEmpty { break }
            ids += page.map(\.id)
        }
        return try await replay(ids)
    }

    /// Forgets dead letters for good; those that are no longer there are passed over.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func discard(_ ids: [Int64]) async throws -> Int {
        try await store.discardDeadLetters(ids)
    }
}
