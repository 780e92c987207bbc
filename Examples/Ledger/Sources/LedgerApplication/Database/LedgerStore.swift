// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// The open store of a ledger.
public struct LedgerStore: Sendable {
    /// The store.
    public let base: any DeliveryStore

    /// Creates an open store.
    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Closes the store.
    ///
    /// After that, each use of the store throws `StoreError` with the code `closed`. Closing it again does nothing.
    ///
    /// - Throws: `StoreError` with the code `locked` if the store is in use.
    public func close() throws {
        try base.close()
    }
}
