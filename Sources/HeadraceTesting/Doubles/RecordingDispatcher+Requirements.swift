// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Requirements on the dispatched messages. They throw, so that they work with every test framework.
extension RecordingDispatcher {
    /// Returns the dispatched messages of `type` in order.
    public func dispatched<Message: Sendable>(_ type: Message.Type) -> [Message] {
        messages.compactMap { $0 as? Message }
    }

    /// Returns the only dispatched message of `type`.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement` unless exactly
    ///   one message of `type` was dispatched. The error lists all dispatched messages.
    public func requireOne<Message: Sendable>(_ type: Message.Type) throws -> Message {
        let found = dispatched(type)
        guard let message = found.first, found.count == 1 else {
            throw RecordingDispatcherError.unmet("exactly one '\(String(naming: type))'", messages)
        }
        return message
    }

    /// Requires that exactly the messages of these types were dispatched, in this order.
    ///
    /// Without types, it requires that no message was dispatched.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement`. The error
    ///   lists all dispatched messages.
    public func requireDispatched(_ types: any Sendable.Type...) throws {
        let actual = messages.map { ObjectIdentifier(Swift.type(of: $0)) }
        if actual != types.map({ ObjectIdentifier($0) }) {
            let names = types.map { String(naming: $0) }.joined(separator: ", ")
            throw RecordingDispatcherError.unmet("exactly [\(names)], in this order", messages)
        }
    }

    /// Requires that exactly these messages were dispatched, in this order.
    ///
    /// ```swift
    /// try dispatcher.requireDispatched(GetInfoQuery(subject: "Programming"), AddSomethingCommand(name: "one"))
    /// ```
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement`. The error
    ///   lists all dispatched messages.
    public func requireDispatched<First: Sendable & Equatable, each Other: Sendable & Equatable>(
        _ first: First,
        _ others: repeat each Other
    ) throws {
        var required = [RequiredMessage(first)]
        repeat required.append(RequiredMessage(each others))
        let messages = messages
        if messages.count != required.count || !zip(required, messages).allSatisfy({ $0.isEqual($1) }) {
            let list = required.map(\.text).joined(separator: ", ")
            throw RecordingDispatcherError.unmet("exactly [\(list)], in this order", messages)
        }
    }
}

/// A required message of any type.
private struct RequiredMessage {
    let text: String
    let isEqual: (any Sendable) -> Bool

    init<Message: Sendable & Equatable>(_ message: Message) {
        text = String(reflecting: message)
        isEqual = { $0 as? Message == message }
    }
}
