// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

extension EntityStore {
    /// Runs `body` with a context on a snapshot of the store, which later commits don't change.
    ///
    /// ```swift
    /// let isBalanced = try await store.read { context in
    ///     let debits = try await context.fetch(Account.self, where: [.equals(.side, "debit")])
    ///     let credits = try await context.fetch(Account.self, where: [.equals(.side, "credit")])
    ///     return debits.total == credits.total
    /// }
    /// ```
    ///
    /// Use it for queries. Changes of `body` to entities are not stored, and a unit of work on the context can't be
    /// committed. Keep `body` short if the store is a file, because the file keeps overwritten data until `body` ends.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; ``HeadraceStorage/StoreError`` if the store can't be read; `CancellationError`.
    public nonisolated(nonsending) func read<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await body(EntityContext(reading: SnapshotStore(of: schema, at: try await snapshot())))
    }
}
