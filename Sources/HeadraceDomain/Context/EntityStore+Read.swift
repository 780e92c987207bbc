//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

extension EntityStore {
    /// Runs `body` with a context that sees one moment of the store, whatever others commit meanwhile.
    ///
    /// ```swift
    /// let isBalanced = try await store.read { context in
    ///     let debits = try await context.fetch(Account.self, where: [.equals(.side, "debit")])
    ///     let credits = try await context.fetch(Account.self, where: [.equals(.side, "credit")])
    ///     return debits.total == credits.total
    /// }
    /// ```
    ///
    /// It is for queries. What `body` changes in the entities is not stored, and a unit of work on the context cannot be
    /// committed. Keep it short where the store is a file: what was overwritten is kept in it until `body` ends.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``HeadraceStorage/StoreError`` where the store cannot be read; `CancellationError`.
    public nonisolated(nonsending) func read<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await body(EntityContext(SnapshotStore(of: schema, at: try await snapshot())))
    }
}
