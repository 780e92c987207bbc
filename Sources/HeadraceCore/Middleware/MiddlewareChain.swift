// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Middleware in order of registration, and the observers of the messages.
///
/// A dispatcher creates a chain when it is composed and checks ``isEmpty`` once. If the chain is empty, the
/// dispatcher calls handlers directly.
@usableFromInline
package struct MiddlewareChain: Sendable {
    @usableFromInline let middleware: [any Middleware]
    @usableFromInline let observers: ObserverList?
    private let clock: any TimeSource

    /// Creates a chain; `clock` is used for deadlines and durations.
    @usableFromInline
    package init(
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock()
    ) {
        self.init(middleware: middleware, observers: ObserverList(observers), clock: clock)
    }

    /// Creates a chain; `nil` for no observers.
    @usableFromInline
    package init(middleware: [any Middleware], observers: ObserverList?, clock: any TimeSource) {
        self.middleware = middleware
        self.observers = observers
        self.clock = clock
    }

    /// Returns the chain with `inner` as its innermost middleware.
    package func appending(_ inner: [any Middleware]) -> MiddlewareChain {
        MiddlewareChain(middleware: middleware + inner, observers: observers, clock: clock)
    }

    /// Whether the chain has neither middleware nor observers.
    package var isEmpty: Bool { middleware.isEmpty && observers == nil }

    /// Handles `message` as a new message: calls all middleware, then `handler`.
    ///
    /// - Throws: ``MessageError`` if the deadline has passed; the errors of the middleware and the handler.
    @inlinable
    package nonisolated(nonsending) func run<Message: Sendable, Output>(
        _ message: Message,
        kind: MessageKind,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await AmbientMessageContext.withNewMessage(kind: kind, type: Message.self) { context in
            if observers?.isListening != true {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
            return try await observing(message, in: context) {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
        }
    }

    /// Handles `message` as the message with `context`: calls all middleware, then `handler`.
    ///
    /// - Throws: See ``run(_:kind:handler:)``.
    package nonisolated(nonsending) func run<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await AmbientMessageContext.withCurrent({ _ in .message(context) }) {
            try await observing(message, in: context) {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
        }
    }

    @inlinable @inline(__always)
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        if middleware.isEmpty { return try await handler(message) }
        return try await Next(MiddlewareInvocation(through: middleware, context: context, handler: handler), from: 0)(
            message)
    }

    @usableFromInline
    func requireTime(for context: MessageContext) throws {
        guard let deadline = context.deadline else { return }
        let now = clock.now
        if now >= deadline { throw MessageError.deadlineExceeded(context, by: deadline.duration(to: now)) }
    }

    @usableFromInline
    nonisolated(nonsending) func observing<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Output
    ) async throws -> Output {
        guard let observers, observers.isListening else { return try await operation() }
        let start = clock.now
        for observer in observers.all { observer.messageBegan(message, in: context) }
        do {
            let output = try await operation()
            let duration = start.duration(to: clock.now)
            for observer in observers.all { observer.messageEnded(context, outcome: .success, after: duration) }
            return output
        } catch {
            let duration = start.duration(to: clock.now)
            for observer in observers.all { observer.messageEnded(context, outcome: .failure(error), after: duration) }
            throw error
        }
    }
}

/// The messages that share a circuit of a ``CircuitBreakerMiddleware``, or a compartment of a ``BulkheadMiddleware``.
public struct MessageGroup: Sendable {
    private enum Kind: Sendable {
        case messageType
        case all(name: String)
        case key(@Sendable (any Sendable) -> String?)
    }

    private let kind: Kind

    /// Messages of the same type; of root messages with a ``NamedMessage/messageName``, those with the same name.
    public static let messageType = MessageGroup(kind: .messageType)

    /// All messages; `name` is the label of metrics, for example the name of the service that the handlers call.
    public static func all(named name: String) -> MessageGroup {
        MessageGroup(kind: .all(name: name))
    }

    /// Messages with the same key, whatever their type; a message without a key passes.
    ///
    /// ```swift
    /// CircuitBreakerMiddleware(failures: 5, pause: .seconds(30), per: .key { ($0 as? Charge)?.gateway })
    /// ```
    ///
    /// Each key is a label of metrics, so the number of keys must be small.
    public static func key(_ key: @escaping @Sendable (any Sendable) -> String?) -> MessageGroup {
        MessageGroup(kind: .key(key))
    }

    /// The key of `message`; `nil` if it belongs to no group.
    func key<Message: Sendable>(of message: Message, in context: MessageContext) -> MessageGroupKey? {
        switch kind {
        case .messageType: .name(of: context)
        case .all(let name): .name(name)
        case .key(let key): key(message).map { .name($0) }
        }
    }
}

/// Identifies the messages of a group.
///
/// A type is hashed by its address, because making its name takes longer than many handlers.
enum MessageGroupKey: Hashable {
    case type(Any.Type)
    case name(String)

    /// Identifies the messages with the same ``MessageContext/name`` as the message of `context`.
    static func name(of context: MessageContext) -> MessageGroupKey {
        context.ownName.map { .name($0) } ?? .type(context.type)
    }

    /// The label of metrics and errors.
    var name: String {
        switch self {
        case .type(let type): String(naming: type)
        case .name(let name): name
        }
    }

    static func == (one: MessageGroupKey, other: MessageGroupKey) -> Bool {
        switch (one, other) {
        case (.type(let one), .type(let other)): one == other
        case (.name(let one), .name(let other)): one == other
        case (.type, .name), (.name, .type): false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .type(let type): hasher.combine(ObjectIdentifier(type))
        case .name(let name): hasher.combine(name)
        }
    }
}

/// The handling of a message by middleware that groups messages.
///
/// A message that a handler sends within the same group joins the handling of the outer message, and needs no further
/// admission. The handling ends with the last of these messages.
final class GroupHandling: Sendable {
    @TaskLocal private static var current: [GroupHandling] = []

    private let owner: ObjectIdentifier
    private let key: MessageGroupKey
    private let atEnd: @Sendable () -> Void
    private let messageCount = Mutex(1)

    private init(_ key: MessageGroupKey, of owner: AnyObject, atEnd: @escaping @Sendable () -> Void) {
        self.owner = ObjectIdentifier(owner)
        self.key = key
        self.atEnd = atEnd
    }

    /// Handles the outer message of a group.
    ///
    /// - Parameters:
    ///   - key: The key of the group.
    ///   - owner: The object to which the group belongs; it must exist until the end of the handling.
    ///   - atEnd: It is called once, at the end of the last message.
    ///   - operation: Handles the message.
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`.
    static nonisolated(nonsending) func run<Result>(
        _ key: MessageGroupKey,
        of owner: AnyObject,
        atEnd: @escaping @Sendable () -> Void = {},
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        let handling = GroupHandling(key, of: owner, atEnd: atEnd)
        defer { handling.leave() }
        // A task that outlives its message inherits the value, so ended handlings would accumulate in a chain of such tasks.
        let handlings = current.filter { !$0.hasEnded } + [handling]
        return try await $current.binding(handlings) { try await operation() }
    }

    /// Joins a handling of the same group that the task inherits and that hasn't ended; the caller must leave it.
    static func join(_ key: MessageGroupKey, of owner: AnyObject) -> GroupHandling? {
        let handlings = current
        if handlings.isEmpty { return nil }
        return handlings.first { $0.owner == ObjectIdentifier(owner) && $0.key == key && $0.enter() }
    }

    /// Number of handlings that the task inherits.
    static var currentCount: Int { current.count }

    private var hasEnded: Bool { messageCount.withLock { $0 == 0 } }

    private func enter() -> Bool {
        messageCount.withLock { messageCount in
            if messageCount == 0 { return false }
            messageCount += 1
            return true
        }
    }

    /// Ends a message.
    func leave() {
        let isLast = messageCount.withLock { messageCount in
            messageCount -= 1
            return messageCount == 0
        }
        if isLast { atEnd() }
    }
}
