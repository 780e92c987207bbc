//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Synchronization

/// What is known of the message that a task is handling, and of where it came from.
///
/// ```swift
/// try await MessageContext.withPrincipal(user) {
///     try await dispatcher.dispatch(AddSomethingCommand())
/// }
///
/// // in the handler, where its dispatcher has middleware, and in whatever it calls
/// let principal = MessageContext.current?.principal
/// ```
///
/// It is a task-local value, and so goes into child tasks; ``TracingMiddleware`` joins it to a trace. A dispatcher makes
/// one for each message where something reads it, which is where it has middleware or observers; without, handling a
/// message costs nothing more than handling it.
public struct MessageContext: Sendable {
    /// Tells the message from all others; a UUID of version 7.
    public var id: UUID { storage.id }

    /// What sort of message it is.
    public var kind: MessageKind { storage.kind }

    /// The type of the message.
    public var type: Any.Type { storage.type }

    /// The message that was being handled when this one was sent, or `nil` for the first of a chain.
    public var causationID: UUID? { storage.causationID }

    /// The first message of the chain: this one where nothing caused it.
    public var correlationID: UUID { storage.correlationID }

    /// Who it is handled for, or `nil` where nobody said.
    public var principal: (any Principal)? { storage.principal }

    /// When it is no longer worth handling, or `nil` for never.
    public var deadline: ContinuousClock.Instant? { storage.deadline }

    /// Whether both describe the same message; it makes no identifier for that.
    package func isSame(as other: MessageContext) -> Bool { storage === other.storage }

    /// The name of the message's type, with its module; for a private type, without the address that Swift prints.
    ///
    /// - Complexity: O(*n*) in its length; the name is printed anew each time.
    public var typeName: String { String(naming: type) }

    /// An object, so that handing the context on, from middleware to middleware, copies one word.
    private let storage: Storage

    private final class Storage: Sendable {
        let kind: MessageKind
        let type: Any.Type
        let causationID: UUID?
        let principal: (any Principal)?
        let deadline: ContinuousClock.Instant?

        private let inheritedCorrelationID: UUID?
        private let madeID = Mutex<UUID?>(nil)

        init(kind: MessageKind, type: Any.Type, surroundings: AmbientMessageContext?) {
            self.kind = kind
            self.type = type
            let cause = surroundings?.message
            causationID = cause?.id
            inheritedCorrelationID = cause?.correlationID
            principal = surroundings?.principal
            deadline = surroundings?.deadline
        }

        init(
            kind: MessageKind,
            type: Any.Type,
            id: UUID,
            causationID: UUID?,
            correlationID: UUID?,
            principal: (any Principal)?
        ) {
            self.kind = kind
            self.type = type
            self.causationID = causationID
            self.principal = principal
            inheritedCorrelationID = correlationID
            deadline = nil
            madeID.withLock { $0 = id }
        }

        /// Made when it is first asked for, since making it takes longer than handling many a message.
        ///
        /// What a message causes asks for it, and so has a later one.
        var id: UUID {
            madeID.withLock { id in
                let made = id ?? .version7()
                id = made
                return made
            }
        }

        var correlationID: UUID { inheritedCorrelationID ?? id }
    }

    /// Describes a message that is about to be handled.
    ///
    /// What is being handled now is its cause, and hands on its correlation. It has the principal and the deadline
    /// that hold now; see ``withPrincipal(_:_:)`` and ``withDeadline(_:_:)``.
    public init(kind: MessageKind, type: Any.Type) {
        self.init(kind: kind, type: type, in: .current)
    }

    init(kind: MessageKind, type: Any.Type, in surroundings: AmbientMessageContext?) {
        storage = Storage(kind: kind, type: type, surroundings: surroundings)
    }

    /// Describes a message that was sent earlier, perhaps by another process, and is about to be handled here.
    package init(
        kind: MessageKind,
        type: Any.Type,
        id: UUID,
        causationID: UUID?,
        correlationID: UUID?,
        principal: (any Principal)?
    ) {
        storage = Storage(
            kind: kind,
            type: type,
            id: id,
            causationID: causationID,
            correlationID: correlationID,
            principal: principal
        )
    }
}

extension MessageContext {
    /// Who messages sent here are handled for, or `nil` where nobody said.
    package static var currentPrincipal: (any Principal)? { AmbientMessageContext.current?.principal }

    /// The message that this task is handling, or `nil` where it handles none or nothing has made its context.
    public static var current: MessageContext? { AmbientMessageContext.current?.message }

    /// Runs `operation` as the handling of `context`: ``current`` is that, and what is sent is caused by it.
    ///
    /// - Throws: What `operation` throws.
    public static nonisolated(nonsending) func withCurrent<Result>(
        _ context: MessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent(
            { .changed(context, principal: $0?.principal, deadline: $0?.deadline) },
            operation
        )
    }

    /// Runs `operation` for `principal`: messages sent in it are handled for that one.
    ///
    /// - Throws: What `operation` throws.
    public static nonisolated(nonsending) func withPrincipal<Result>(
        _ principal: (any Principal)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent(
            { .changed($0?.message, principal: principal, deadline: $0?.deadline) },
            operation
        )
    }

    /// Runs `operation` with a deadline for the messages sent in it; an earlier one that holds already stays.
    ///
    /// A message whose deadline has passed is refused before its handler is made. What is being handled is not
    /// interrupted: that is what a timeout is for.
    ///
    /// - Throws: What `operation` throws.
    public static nonisolated(nonsending) func withDeadline<Result>(
        _ deadline: ContinuousClock.Instant,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent(
            { .changed($0?.message, principal: $0?.principal, deadline: min($0?.deadline ?? deadline, deadline)) },
            operation
        )
    }
}
