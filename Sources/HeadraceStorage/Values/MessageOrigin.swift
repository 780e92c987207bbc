//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore

/// Where a stored message came from: what caused it, for whom, and within which trace.
///
/// It is taken from the `MessageContext` of the task that stores the message, and restored around its handlers: what
/// they log, send and store is of the same chain, also after a restart and in another process.
public struct MessageOrigin: Hashable, Sendable, Codable {
    /// The message that was being handled when this one was stored, if one was.
    public var causationID: UUID?

    /// The first message of the chain, if there is one before this.
    public var correlationID: UUID?

    /// The ``HeadraceCore/Principal/principalID`` of whom it was handled for, if somebody said.
    public var principalID: String?

    /// What the instrument of the system needs to go on with the trace; empty where nobody traces.
    public var trace: [String: String]

    /// Creates the description of an origin; of an unknown one unless told more.
    public init(
        causationID: UUID? = nil,
        correlationID: UUID? = nil,
        principalID: String? = nil,
        trace: [String: String] = [:]
    ) {
        self.causationID = causationID
        self.correlationID = correlationID
        self.principalID = principalID
        self.trace = trace
    }

    /// Nothing is known.
    public static let unknown = MessageOrigin()

    /// What the current task handles, and for whom.
    public static var current: MessageOrigin {
        let message = MessageContext.current
        return MessageOrigin(
            causationID: message?.id,
            correlationID: message?.correlationID,
            principalID: MessageContext.currentPrincipal?.principalID,
            trace: TraceCarrier.current
        )
    }
}

/// A principal of whom only the identifier was stored.
package struct StoredPrincipal: Principal {
    package let principalID: String

    package init(principalID: String) {
        self.principalID = principalID
    }
}
