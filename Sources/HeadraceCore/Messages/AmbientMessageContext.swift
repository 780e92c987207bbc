//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What messages inherit from the code that sends them, as one value in the context of the task.
///
/// It is one word, so that the context of the task keeps it without a box.
@usableFromInline
enum AmbientMessageContext: Sendable {
    /// Those of the message that is being handled, as it found them itself.
    case message(MessageContext)

    /// Something was said since, or before any message.
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

    /// Runs `operation` with surroundings that `change` has made out of the current ones; it is given them, too.
    static nonisolated(nonsending) func withCurrent<Result>(
        _ change: (AmbientMessageContext?) -> AmbientMessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $current.binding(change(current), operation)
    }

    /// Runs `operation` as the handling of a new message that these surroundings have given rise to.
    @inlinable
    static nonisolated(nonsending) func withNewMessage<Result>(
        kind: MessageKind,
        type: Any.Type,
        _ operation: nonisolated(nonsending) (MessageContext) async throws -> Result
    ) async throws -> Result {
        let message = newMessage(kind: kind, type: type)
        return try await binding.binding(.message(message)) { try await operation(message) }
    }

    /// Binds the surroundings of a task.
    @usableFromInline static var binding: TaskLocal<AmbientMessageContext?> { $current }

    /// A new message that the surroundings have given rise to.
    @usableFromInline
    static func newMessage(kind: MessageKind, type: Any.Type) -> MessageContext {
        MessageContext(kind: kind, type: type, in: current)
    }
}
