//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
package import HeadraceResolution
import Logging

/// Which messages a dispatcher handles, and by what; made from the lists of its handlers, without creating any.
package struct HandlerCatalog: Sendable {
    /// A message and all that was registered for it.
    package struct Entry: MessageNote {
        /// The list that its handlers are in: `commandHandlers`, `queryHandlers` or `streamHandlers`.
        package let list: String

        /// The type of the message.
        package let message: Any.Type

        /// The types of its handlers, in the order registered; the last one is the one that handles it.
        ///
        /// There is none where the message is only said to be sent.
        package internal(set) var handlers: [Any.Type]
    }

    /// The handlers, with what they state that they take.
    package private(set) var parts: [RegistrationPart] = []

    /// The messages, in the order in which they were first mentioned.
    package private(set) var entries: [Entry] = []
    private var places: [Place: Int] = [:]

    private struct Place: Hashable {
        let list: String
        let message: ObjectIdentifier
    }

    /// Those of ``entries`` with more than one handler.
    package var doubled: [Entry] { entries.filter { $0.handlers.count > 1 } }

    mutating func add(_ handlers: [Any.Type], of message: Any.Type, in list: String) {
        let place = Place(list: list, message: ObjectIdentifier(message))
        if let index = places[place] {
            entries[index].handlers += handlers
        } else {
            places[place] = entries.count
            entries.append(Entry(list: list, message: message, handlers: handlers))
        }
    }

    /// Logs each message with several handlers, as a warning: a dispatcher works, but not all that was registered.
    func logDoubled() {
        for entry in doubled {
            let handlers = entry.handlers.map { String(naming: $0) }
            Logger.current.warning(
                "A message has several handlers; the last one handles it. To fix, remove the others from the list.",
                metadata: [
                    "headrace.message": "\(String(naming: entry.message))",
                    "headrace.list": "\(entry.list)",
                    "headrace.handlers": .array(handlers.map { "\($0)" }),
                ]
            )
        }
    }
}

extension HandlerCatalog {
    /// Creates the catalog of these handlers, and of messages that are said to be sent.
    package init(
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
        queryHandlers: [any (HandlesQuery & Resolvable).Type] = [],
        streamHandlers: [any (HandlesStreamQuery & Resolvable).Type] = [],
        messages: [any DispatchedMessage.Type] = []
    ) {
        for handler in commandHandlers {
            add([handler], of: Self.message(of: handler), in: "commandHandlers")
        }
        for handler in queryHandlers {
            add([handler], of: Self.message(of: handler), in: "queryHandlers")
        }
        for handler in streamHandlers {
            add([handler], of: Self.message(of: handler), in: "streamHandlers")
        }
        for message in messages {
            if message is any CQDCommand.Type { add([], of: message, in: "commandHandlers") }
            if message is any CQDQuery.Type { add([], of: message, in: "queryHandlers") }
            if message is any CQDStreamQuery.Type { add([], of: message, in: "streamHandlers") }
        }
        parts =
            commandHandlers.map { Self.part($0) } + queryHandlers.map { Self.part($0) }
            + streamHandlers.map { Self.part($0) }
    }

    private static func part<H: Resolvable>(_ handler: H.Type) -> RegistrationPart { RegistrationPart(handler) }

    private static func message<H: HandlesCommand>(of handler: H.Type) -> Any.Type { H.Command.self }

    private static func message<H: HandlesQuery>(of handler: H.Type) -> Any.Type { H.Query.self }

    private static func message<H: HandlesStreamQuery>(of handler: H.Type) -> Any.Type { H.Query.self }
}

extension HandlerCatalog.Entry {
    /// Each message without a handler, and each with several: of these a dispatcher takes one.
    package static func problems(in notes: [HandlerCatalog.Entry]) -> [CompositionProblem] {
        notes.compactMap { note in
            switch note.handlers.count {
            case 0: note.missing
            case 1: nil
            default: note.doubled
            }
        }
    }

    private var missing: CompositionProblem {
        CompositionProblem(
            .missingHandler,
            path: [message],
            message: DispatchError.noHandler(for: message, in: list).message
        )
    }

    private var doubled: CompositionProblem {
        let names = handlers.map { "'\(String(naming: $0))'" }.joined(separator: ", ")
        return CompositionProblem(
            .doubledHandler,
            path: [message] + handlers,
            message: """
                '\(String(naming: message))' has \(handlers.count) handlers: \(names); the last \
                one handles it. To fix, remove the others from '\(list): […]'.
                """
        )
    }
}
