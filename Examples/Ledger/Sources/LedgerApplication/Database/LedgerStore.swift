//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// The open store of a ledger.
public struct LedgerStore: Sendable {
    /// The store.
    public let base: any DeliveryStore

    private let closing: @Sendable () throws -> Void

    /// Creates an open store with the operation that closes it.
    init(_ base: any DeliveryStore, closing: @escaping @Sendable () throws -> Void) {
        self.base = base
        self.closing = closing
    }

    /// Closes the store.
    ///
    /// After that, each use of the store throws `StoreError` with the code `closed`. Closing it again does nothing.
    ///
    /// - Throws: `StoreError` with the code `locked` if the store is in use.
    public func close() throws {
        try closing()
    }
}
