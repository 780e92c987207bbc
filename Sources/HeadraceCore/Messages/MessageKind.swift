// SPDX-License-Identifier: Apache-2.0

/// The kind of a message.
public struct MessageKind: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case command, query, action, effect, event, notification, request }

    private let kind: Kind

    /// An instruction for one handler.
    public static let command = MessageKind(kind: .command)

    /// A question to one handler.
    public static let query = MessageKind(kind: .query)

    /// An action of a flux dispatcher, a service tree, or a station.
    public static let action = MessageKind(kind: .action)

    /// An effect that an action has started.
    public static let effect = MessageKind(kind: .effect)

    /// A domain event.
    public static let event = MessageKind(kind: .event)

    /// A notification to any number of handlers.
    public static let notification = MessageKind(kind: .notification)

    /// A request from outside the program, the first message of its chain.
    public static let request = MessageKind(kind: .request)

    /// Name of the kind, suitable as a metric label.
    public var description: String { kind.rawValue }
}
