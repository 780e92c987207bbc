//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The messages that share a circuit of a ``CircuitBreakerMiddleware``, or a compartment of a ``BulkheadMiddleware``.
public struct MessageGroup: Sendable {
    private enum Kind: Sendable {
        case messageType
        case all(name: String)
        case key(@Sendable (any Sendable) -> String?)
    }

    private let kind: Kind

    /// Messages of the same type.
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
    func key<Message: Sendable>(of message: Message, in context: MessageContext) -> String? {
        switch kind {
        case .messageType: context.name
        case .all(let name): name
        case .key(let key): key(message)
        }
    }
}
