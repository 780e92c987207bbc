// SPDX-License-Identifier: Apache-2.0

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
