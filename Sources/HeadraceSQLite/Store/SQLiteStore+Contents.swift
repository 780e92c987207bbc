// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
public import HeadraceStorage

extension SQLiteStore {
    /// Returns everything that is in the file, for a copy into a store of another kind.
    ///
    /// A commit during the copy would be missing in it, so the copy then fails. End all other programs that use the
    /// file, and close the store only after the copy.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read; `CancellationError`.
    public func contents() async throws -> StoreContents {
        try Task.checkCancellation()
        try await read { _ in }
        return try SQLiteErrorMapper(path: path).translating {
            StoreContents(try TableReader(path: path) { try pool.makeSnapshot() })
        }
    }
}
#endif
