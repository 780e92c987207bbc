// SPDX-License-Identifier: Apache-2.0

/// Reads the rows of a store in the order of their keys.
package protocol StoreTableReader: Sendable {
    /// Returns at most `limit` rows after the row with the key `key`, or the first rows if it is `nil`.
    ///
    /// - Throws: ``StoreError``; `CancellationError`.
    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]]
}

extension StoreTableReader {
    /// Passes all rows of `table` to `body`, in pages, each of which has at most `limit` rows.
    ///
    /// - Throws: ``StoreError``; `CancellationError`; the errors of `body`.
    package func forEachPage(of table: StoreTable, limit: Int, _ body: ([[StoreValue]]) async throws -> Void)
        async throws
    {
        var last: [StoreValue]?
        while true {
            try Task.checkCancellation()
            let page = try await rows(of: table, after: last, limit: limit)
            if !page.isEmpty { try await body(page) }
            guard page.count == limit, let row = page.last else { return }
            last = table.key(of: row)
        }
    }
}
