// SPDX-License-Identifier: Apache-2.0

/// A root message with a name of its own for logs, metrics, traces, and an inspector.
///
/// ```swift
/// struct Upload: NamedMessage {
///     var bucket: Bucket
///     var messageName: String { "upload to \(bucket)" }
/// }
/// ```
///
/// Without it, the name of a message is the name of its type. See ``MessageContext/name``.
public protocol NamedMessage: Sendable {
    /// The name of the message, from a small set of names, because it is a metric label.
    ///
    /// For an HTTP request, it contains the path of the route, not the path of the request.
    var messageName: String { get }
}

/// Identifies the messages of a group.
///
/// A type is hashed by its address, because making its name takes longer than many handlers.
package enum MessageGroupKey: Hashable {
    case type(Any.Type)
    case name(String)

    /// Identifies the messages with the same ``MessageContext/name`` as the message of `context`.
    package static func name(of context: MessageContext) -> MessageGroupKey {
        context.ownName.map { .name($0) } ?? .type(context.type)
    }

    /// The label of metrics and errors.
    package var name: String {
        switch self {
        case .type(let type): String(naming: type)
        case .name(let name): name
        }
    }

    package static func == (one: MessageGroupKey, other: MessageGroupKey) -> Bool {
        switch (one, other) {
        case (.type(let one), .type(let other)): one == other
        case (.name(let one), .name(let other)): one == other
        case (.type, .name), (.name, .type): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .type(let type): hasher.combine(ObjectIdentifier(type))
        case .name(let name): hasher.combine(name)
        }
    }
}
