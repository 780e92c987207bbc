// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// The messages that share a circuit of a ``CircuitBreakerMiddleware``, or a compartment of a ``BulkheadMiddleware``.
public struct MessageGroup: Sendable {
    private enum Kind: Sendable {
        case messageType
        case all(name: String)
        case key(@Sendable (any Sendable) -> String?)
    }

    private let kind: Kind

    /// Messages of the same type; of root messages with a ``HeadraceCore/NamedMessage/messageName``, those with the same name.
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
