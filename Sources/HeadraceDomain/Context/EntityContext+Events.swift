//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

extension EntityContext {
    /// Gives the events of the store's log after a position, in the order committed, `limit` at the most.
    ///
    /// Those that were raised in this unit of work are not among them: they are stored when it commits.
    ///
    /// - Parameters:
    ///   - position: The position of the last event that is known; 0 for all from the first on.
    ///   - limit: How many are given at the most.
    /// - Returns: The events.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await store.events(after: position, limit: limit)
    }
}
