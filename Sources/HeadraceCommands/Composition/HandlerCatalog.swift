// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
package import HeadraceResolution
import Logging

/// The messages of a dispatcher and their handlers, read from the lists of handlers without creating a handler.
package struct HandlerCatalog: Sendable {
    /// A message and all handlers that were registered for it.
    package struct MessageEntry: RegistrationNote {
        /// The type of the message.
        package let message: Any.Type

        /// The types of its handlers, in the order registered.
        ///
        /// The last one handles the message.
        ///
        /// Empty if no handler is registered for a message that the application sends.
        package fileprivate(set) var handlers: [Any.Type] = []

        fileprivate let list: HandlerList

        /// The list that the handlers belong in: `commandHandlers`, `queryHandlers`, or `streamHandlers`.
        package var listName: String { list.rawValue }
    }

    /// The handlers, commands first, each in the order registered.
    let handlers: [RegisteredHandler]

    /// The messages, in the order in which they were first mentioned.
    package private(set) var entries: [MessageEntry] = []

    private var indices: [ObjectIdentifier: Int] = [:]

    /// Creates the catalog of these handlers, and of the messages that the application sends.
    package init(
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
        queryHandlers: [any (HandlesQuery & Resolvable).Type] = [],
        streamHandlers: [any (HandlesStreamQuery & Resolvable).Type] = [],
        messages: [any DispatchedMessage.Type] = []
    ) {
        handlers =
            commandHandlers.map { RegisteredHandler(command: $0) } + queryHandlers.map { RegisteredHandler(query: $0) }
            + streamHandlers.map { RegisteredHandler(streamQuery: $0) }
        for handler in handlers { add([handler.type], of: handler.message) }
        for message in messages { add([], of: message) }
    }

    private mutating func add(_ handlers: [Any.Type], of message: any DispatchedMessage.Type) {
        let index = indices[ObjectIdentifier(message), default: entries.count]
        if index == entries.count {
            indices[ObjectIdentifier(message)] = index
            entries.append(MessageEntry(message: message, list: HandlerList(for: message)))
        }
        entries[index].handlers += handlers
    }

    /// The entries with several handlers.
    package var duplicates: [MessageEntry] { entries.filter { $0.handlers.count > 1 } }

    /// Logs each message with several handlers as a warning, because only the last handler is used.
    func logDuplicates() {
        for entry in duplicates {
            let handlers = entry.handlers.map { String(naming: $0) }
            Logger.current.warning(
                "A message has several handlers; the last one handles it. To fix, remove the others from the list.",
                metadata: [
                    "headrace.message": "\(String(naming: entry.message))",
                    "headrace.list": "\(entry.listName)",
                    "headrace.handlers": .array(handlers.map { "\($0)" }),
                ]
            )
        }
    }
}

extension HandlerCatalog.MessageEntry {
    /// Returns a problem for each message without a handler, and for each message with several handlers.
    package static func problems(in notes: [HandlerCatalog.MessageEntry]) -> [CompositionProblem] {
        notes.compactMap { note in
            switch note.handlers.count {
            case 0: note.missing
            case 1: nil
            default: note.duplicate
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

    private var duplicate: CompositionProblem {
        let names = handlers.map { "'\(String(naming: $0))'" }.joined(separator: ", ")
        return CompositionProblem(
            .duplicateHandler,
            path: [message] + handlers,
            message: """
                '\(String(naming: message))' has \(handlers.count) handlers: \(names); the last \
                one handles it. To fix, remove the others from '\(list): […]'.
                """
        )
    }
}
