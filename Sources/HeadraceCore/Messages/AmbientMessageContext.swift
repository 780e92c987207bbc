// SPDX-License-Identifier: Apache-2.0

/// The values that a new message inherits from the task that sends it.
///
/// An enum of one word, so that the task-local storage needs no box.
@usableFromInline
enum AmbientMessageContext: Sendable {
    /// The values of the message that the task handles.
    case message(MessageContext)

    /// Values that were changed since the message, or without a message.
    indirect case changed(MessageContext?, principal: (any Principal)?, deadline: ContinuousClock.Instant?)

    var message: MessageContext? {
        switch self {
        case .message(let message): message
        case .changed(let message, _, _): message
        }
    }

    var principal: (any Principal)? {
        switch self {
        case .message(let message): message.principal
        case .changed(_, let principal, _): principal
        }
    }

    var deadline: ContinuousClock.Instant? {
        switch self {
        case .message(let message): message.deadline
        case .changed(_, _, let deadline): deadline
        }
    }

    @TaskLocal static var current: AmbientMessageContext?

    /// Runs `operation` with the current values as changed by `change`.
    static nonisolated(nonsending) func withCurrent<Result>(
        _ change: (AmbientMessageContext?) -> AmbientMessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $current.binding(change(current), operation)
    }

    /// Runs `operation` as the handler of a new message, which inherits the current values.
    @inlinable
    static nonisolated(nonsending) func withNewMessage<Result>(
        kind: MessageKind,
        type: Any.Type,
        _ operation: nonisolated(nonsending) (MessageContext) async throws -> Result
    ) async throws -> Result {
        let message = newMessage(kind: kind, type: type)
        return try await binding.binding(.message(message)) { try await operation(message) }
    }

    /// The task-local variable, for inlined code and other files.
    @usableFromInline static var binding: TaskLocal<AmbientMessageContext?> { $current }

    /// Returns a new message, which inherits the current values.
    @usableFromInline
    static func newMessage(kind: MessageKind, type: Any.Type) -> MessageContext {
        MessageContext(kind: kind, type: type, in: current)
    }
}
