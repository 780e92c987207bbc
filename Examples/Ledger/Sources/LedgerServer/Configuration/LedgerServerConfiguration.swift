//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import LedgerApplication

/// The configuration of a ``LedgerServer``.
public struct LedgerServerConfiguration: Sendable {
    /// The place of the ledger.
    ///
    /// A missing file, or a missing schema of a database, is created.
    public var database: LedgerDatabase

    /// The address to listen on.
    ///
    /// The default accepts connections from this machine only.
    public var host = "127.0.0.1"

    /// The port; 0 for any free port.
    public var port = 8080

    /// Host names that requests may use in addition to ``host`` and the names of the local machine.
    public var allowedHosts: [String] = []

    /// The URL that receives each posted transaction by a POST request; `nil` for none.
    public var webhook: URL?

    /// Whether the inspector may replay and discard dead letters.
    public var inspectorAllowsWrites = false

    /// The limits for clients.
    public var limits = LedgerServerLimits()

    /// Creates the default configuration for a ledger.
    public init(database: LedgerDatabase) {
        self.database = database
    }
}
