// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import NIOCore

/// An error that is thrown if the server can't listen at its address.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The host and the port.
    public let address: String

    /// The reason.
    public let reason: String

    /// The cause and the remedy, one sentence each.
    public var description: String {
        "The ledger can't be served at \(address): \(reason). To fix, use another port (0 for any free port), or "
            + "another address of this machine."
    }

    /// Creates the error if `error` concerns the address of `configuration`.
    ///
    /// Returns `nil` otherwise.
    init?(_ error: any Error, _ configuration: LedgerServerConfiguration) {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE: reason = "another program listens there"
        case let error as IOError where error.errnoCode == EACCES: reason = "this user may not listen there"
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL: reason = "this machine has no such address"
        case is SocketAddressError: reason = "there is no such address"
        default: return nil
        }
        address = "\(configuration.host):\(configuration.port)"
    }
}
#endif
