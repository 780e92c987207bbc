// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// The origin of a stored message: its cause, its principal, and its trace.
///
/// It is taken from the `MessageContext` of the task that stores the message, and restored around the handlers of the
/// message. So logs, messages, and changes of the handlers belong to the same chain, even after a restart or in another
/// process.
public struct MessageOrigin: Hashable, Sendable, Codable {
    /// The message that was being handled when this message was stored, if there was one.
    public var causationID: UUID?

    /// The first message of the chain, if there is an earlier message.
    public var correlationID: UUID?

    /// The ``HeadraceCore/Principal/principalID`` of the message, if a principal was set.
    public var principalID: String?

    /// The trace context for the instrument of the system; empty without tracing.
    public var trace: [String: String]

    /// Creates an origin; by default, every part is unknown.
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

    /// An origin without any information.
    public static let unknown = MessageOrigin()

    /// The message that the current task handles, and its principal.
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

/// A principal of which only the identifier was stored.
package struct StoredPrincipal: Principal {
    package let principalID: String

    package init(principalID: String) {
        self.principalID = principalID
    }
}
