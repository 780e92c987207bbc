//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore

/// The server cannot listen where it was told to.
public struct ListeningError: Error, Sendable, CustomStringConvertible {
    /// The address: a name or number of the machine, and the port.
    public let address: String

    /// What is in the way.
    public let reason: String

    /// What happened and how to fix it, in one sentence each.
    public var description: String {
        "The ledger cannot be served at \(address): \(reason). To fix, name another port (0 for one that is free), or "
            + "another address of this machine."
    }

    /// Finds out whether `error` is about the address of `configuration`; `nil` where it is about something else.
    init?(_ error: any Error, _ configuration: LedgerServer.Configuration) {
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
