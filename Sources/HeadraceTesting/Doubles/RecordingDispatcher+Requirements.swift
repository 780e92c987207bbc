//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// What a test asks of what was dispatched; without a test framework, since each has its own.
extension RecordingDispatcher {
    /// The messages of `type` that were dispatched, in order.
    public func dispatched<Message: Sendable>(_ type: Message.Type) -> [Message] {
        messages.compactMap { $0 as? Message }
    }

    /// Gives the message of `type` that was dispatched, of which there must be exactly one.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code ``RecordingDispatcherError/Code/unmetRequirement``,
    ///   which lists what was dispatched, where there is none or are several.
    public func requireOne<Message: Sendable>(_ type: Message.Type) throws -> Message {
        let found = dispatched(type)
        guard let message = found.first, found.count == 1 else {
            throw RecordingDispatcherError.unmet("exactly one '\(String(naming: type))'", messages)
        }
        return message
    }

    /// Requires that messages of these types were dispatched, in this order, and no others; none where none are given.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code ``RecordingDispatcherError/Code/unmetRequirement``,
    ///   which lists what was dispatched.
    public func requireDispatched(_ types: any Sendable.Type...) throws {
        let actual = messages.map { ObjectIdentifier(Swift.type(of: $0)) }
        if actual != types.map({ ObjectIdentifier($0) }) {
            let names = types.map { String(naming: $0) }.joined(separator: ", ")
            throw RecordingDispatcherError.unmet("exactly [\(names)], in this order", messages)
        }
    }

    /// Requires that these messages were dispatched, in this order, and no others.
    ///
    /// ```swift
    /// try dispatcher.requireDispatched(GetInfoQuery(subject: "Programming"), AddSomethingCommand(name: "one"))
    /// ```
    ///
    /// - Throws: As of `requireDispatched(_:)`.
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

/// One of the messages that a test requires, whatever its type.
private struct RequiredMessage {
    let text: String
    let isEqual: (any Sendable) -> Bool

    init<Message: Sendable & Equatable>(_ message: Message) {
        text = String(reflecting: message)
        isEqual = { $0 as? Message == message }
    }
}
