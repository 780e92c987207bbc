// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Instrumentation
import Synchronization

/// The metadata of a message: its ID, cause, principal, and deadline.
///
/// ```swift
/// try await MessageContext.withPrincipal(user) {
///     try await dispatcher.dispatch(AddSomethingCommand())
/// }
///
/// // in the handler and all functions that it calls, if its dispatcher has middleware
/// let principal = MessageContext.current?.principal
/// ```
///
/// The ``current`` context is a task-local value, so child tasks inherit it. A dispatcher with middleware or
/// observers creates a context for each message. A dispatcher without them creates none, and calls handlers directly.
public struct MessageContext: Sendable {
    /// Unique ID of the message, a UUID of version 7.
    public var id: UUID { storage.id }

    /// Kind of the message.
    public var kind: MessageKind { storage.kind }

    /// Type of the message.
    public var type: Any.Type { storage.type }

    /// ID of the message whose handler sent this message; `nil` for the first message of a chain.
    public var causationID: UUID? { storage.causationID }

    /// ID of the first message of the chain; equal to ``id`` for the first message.
    public var correlationID: UUID { storage.correlationID }

    /// The principal on whose behalf the message is handled; `nil` if none was set.
    public var principal: (any Principal)? { storage.principal }

    /// The instant at which the message expires; `nil` if it has no deadline.
    public var deadline: ContinuousClock.Instant? { storage.deadline }

    /// Whether both contexts describe the same message.
    ///
    /// The comparison doesn't generate an ID.
    package func isSame(as other: MessageContext) -> Bool { storage === other.storage }

    /// Name of the message's type, with its module.
    ///
    /// For private types, the name doesn't contain the address that Swift prints.
    ///
    /// - Complexity: O(*n*) in its length. The name isn't cached.
    public var typeName: String { String(naming: type) }

    /// Name of the message for logs, metrics, traces, and an inspector.
    ///
    /// It is the ``NamedMessage/messageName`` of a root message that has a name, otherwise ``typeName``.
    public var name: String { ownName ?? typeName }

    /// Name of a root message that has one; `nil` for other messages.
    var ownName: String? { storage.label?.name }

    /// The result that ``setResult(_:)`` has set; `nil` if there is none.
    package var result: String? { storage.label?.result.withLock { $0 } }

    /// Sets a short text about the outcome, for an inspector, such as the status of a response.
    ///
    /// Only a root message with a name has a result.
    package func setResult(_ text: String) {
        storage.label?.result.withLock { $0 = text }
    }

    /// An object, so that a context is one word to copy.
    private let storage: Storage

    /// The name and the result of a root message.
    private final class Label: Sendable {
        let name: String
        let result = Mutex<String?>(nil)

        init(_ name: String) {
            self.name = name
        }
    }

    private final class Storage: Sendable {
        let kind: MessageKind
        let type: Any.Type
        let label: Label?
        let causationID: UUID?
        let principal: (any Principal)?
        let deadline: ContinuousClock.Instant?

        private let inheritedCorrelationID: UUID?
        private let madeID = Mutex<UUID?>(nil)

        init(kind: MessageKind, type: Any.Type, label: Label? = nil, ambient: AmbientMessageContext?) {
            self.kind = kind
            self.type = type
            self.label = label
            let cause = ambient?.message
            causationID = cause?.id
            inheritedCorrelationID = cause?.correlationID
            principal = ambient?.principal
            deadline = ambient?.deadline
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
            label = nil
            self.causationID = causationID
            self.principal = principal
            inheritedCorrelationID = correlationID
            deadline = nil
            madeID.withLock { $0 = id }
        }

        /// Generated on first access, because generating an ID takes longer than many handlers.
        ///
        /// A message that is caused by this message accesses the ID, so IDs still ascend along a chain.
        var id: UUID {
            madeID.withLock { id in
                let made = id ?? .version7()
                id = made
                return made
            }
        }

        var correlationID: UUID { inheritedCorrelationID ?? id }
    }

    /// Creates the context of a new message.
    ///
    /// The message that the task handles, if any, is its cause. The new message inherits the correlation ID, the
    /// principal, and the deadline; see ``withPrincipal(_:_:)`` and ``withDeadline(_:_:)``.
    public init(kind: MessageKind, type: Any.Type) {
        self.init(kind: kind, type: type, in: .current)
    }

    init(kind: MessageKind, type: Any.Type, in ambient: AmbientMessageContext?) {
        storage = Storage(kind: kind, type: type, ambient: ambient)
    }

    /// Creates the context of a new message with a name of its own.
    package init(kind: MessageKind, type: Any.Type, name: String) {
        storage = Storage(kind: kind, type: type, label: Label(name), ambient: .current)
    }

    /// Creates the context of a message that was sent earlier, perhaps by another process.
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
    /// The principal that new messages inherit; `nil` if none was set.
    package static var currentPrincipal: (any Principal)? { AmbientMessageContext.current?.principal }

    /// The deadline that new messages inherit; `nil` if none was set.
    package static var currentDeadline: ContinuousClock.Instant? { AmbientMessageContext.current?.deadline }

    /// The context of the message that the task handles; `nil` if it handles none, or if the dispatcher creates no
    /// contexts.
    public static var current: MessageContext? { AmbientMessageContext.current?.message }

    /// Runs `operation` as the handler of the message with `context`.
    ///
    /// In `operation`, ``current`` is `context`, which is the cause of new messages.
    ///
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withCurrent<Result>(
        _ context: MessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent(
            { .changed(context, principal: $0?.principal, deadline: $0?.deadline) },
            operation
        )
    }

    /// Runs `operation` on behalf of `principal`, which new messages inherit.
    ///
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withPrincipal<Result>(
        _ principal: (any Principal)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent(
            { .changed($0?.message, principal: principal, deadline: $0?.deadline) },
            operation
        )
    }

    /// Runs `operation` on behalf of `principal`, as work that no message has begun: without a cause, a deadline, and a trace.
    ///
    /// - Throws: The errors of `operation`.
    package static nonisolated(nonsending) func withoutCause<Result>(
        _ principal: (any Principal)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AmbientMessageContext.withCurrent({ _ in .changed(nil, principal: principal, deadline: nil) }) {
            try await InstrumentationContext.$current.binding(nil, operation)
        }
    }

    /// Runs `operation` with a deadline, which new messages inherit.
    ///
    /// If an earlier deadline is already set, it remains. A message whose deadline has passed is refused before its
    /// handler is created. A running handler isn't interrupted; for that, use a ``TimeoutMiddleware``.
    ///
    /// - Throws: The errors of `operation`.
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

extension MessageContext {
    /// Number of the current attempt to handle the message, counting from 1.
    ///
    /// ``RetryMiddleware`` and relays count attempts. Without them it is 1, as it is for a message that the task
    /// doesn't handle.
    public var attempt: Int {
        guard let attempt = Self.attempt, attempt.messageID == id else { return 1 }
        return attempt.number
    }

    @TaskLocal private static var attempt: Attempt?

    private struct Attempt: Sendable {
        let messageID: UUID
        let number: Int
    }

    /// Runs `operation` as the attempt with `number` to handle the message.
    package nonisolated(nonsending) func asAttempt<Result>(
        _ number: Int,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await Self.$attempt.binding(Attempt(messageID: id, number: number), operation)
    }
}

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
