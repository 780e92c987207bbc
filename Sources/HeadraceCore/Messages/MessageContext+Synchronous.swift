// SPDX-License-Identifier: Apache-2.0

extension MessageContext {
    /// Creates the context of a new message that is caused by `cause`, or by the current message if `cause` is `nil`.
    package init(kind: MessageKind, type: Any.Type, causedBy cause: MessageContext?) {
        self.init(kind: kind, type: type, in: cause.map { .message($0) } ?? .current)
    }

    /// Runs the synchronous `operation` as the handler of the message with `context`.
    @inlinable
    package static func withCurrent<Result>(
        _ context: MessageContext,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        try AmbientMessageContext.binding.withValue(.message(context), operation: operation)
    }

    /// Runs `operation` as the handler of a new message, without middleware or observers.
    @inlinable
    package static nonisolated(nonsending) func handlingNew<Result>(
        _ kind: MessageKind,
        type: Any.Type,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withNewMessage(kind: kind, type: type) { _ in try await operation() }
    }
}
