// SPDX-License-Identifier: Apache-2.0

#if Server
public import Foundation
public import HeadraceHummingbird
public import LedgerApplication
public import Logging

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

    /// The users; empty if each client that reaches the address may read and change the ledger.
    ///
    /// If ``host`` isn't a local address, there must be a user. A user signs in on the page, or sends the token in the field
    /// `Authorization: Bearer …`. The stored events name the user who has posted.
    public var users: [TokenUser] = []

    /// The port; 0 for any free port.
    public var port = 8080

    /// Host names that requests may use in addition to ``host`` and the names of the local machine.
    public var allowedHosts: [String] = []

    /// The URL that receives each posted transaction by a POST request; `nil` for none.
    public var webhook: URL?

    /// Whether the inspector may change deliveries, dead letters, and subscriptions.
    public var inspectorAllowsWrites = false

    /// Level of the one log line for each request; `nil` for no line.
    public var requestLogLevel: Logger.Level? = .info

    /// The limits for clients.
    public var limits = LedgerServerLimits()

    /// Creates the default configuration for a ledger.
    public init(database: LedgerDatabase) {
        self.database = database
    }

    /// Whether only clients on this machine can reach ``host``.
    ///
    /// Another spelling of a local address counts as an address that others reach.
    var isLocal: Bool {
        if ["localhost", "::1"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The sessions of signed-in browsers.
    var sessions: TokenAccess.Configuration {
        var sessions = TokenAccess.Configuration()
        // A browser sends the cookies of a host to all its ports, so each server has its own name.
        sessions.cookieName = "ledger-session-\(port == 0 ? UUID().uuidString : "\(port)")"
        return sessions
    }
}
#endif
