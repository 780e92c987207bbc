// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Measuring

/// Middleware that receives each action and does almost nothing.
public struct Watching: ActionMiddleware {
    /// Creates a middleware.
    public init() {}

    /// Receives the action.
    @inline(never)
    public func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {
        consume(1)
    }
}
