// SPDX-License-Identifier: Apache-2.0

/// All data of a store in one state, for a copy into a store of another kind.
///
/// Obtain it from the store that has the data, for example from the method `contents()` of the SQLite store. While it
/// lives, the store keeps this state.
public struct StoreContents: Sendable {
    package let reader: any StoreContentsReader

    package init(_ reader: any StoreContentsReader) {
        self.reader = reader
    }
}

/// Reads the contents of a store.
package protocol StoreContentsReader: StoreTableReader {
    /// Returns the last used number of each table whose numbers aren't used again, by the name of the table.
    ///
    /// - Throws: ``StoreError``.
    func lastNumbers() async throws -> [String: Int64]

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    ///
    /// - Throws: ``StoreError``.
    func prunedPosition() async throws -> Int64

    /// Requires that nothing was committed to the store since the contents were opened.
    ///
    /// - Throws: ``StoreError`` with the code `StoreError.Code.locked` if a program has changed the store.
    func requireUnchanged() async throws
}
