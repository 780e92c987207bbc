// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceResolution
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

extension HandlerCatalog {
    /// Returns sentences about the messages of clients that a dispatcher with `notes` can't handle; none if it isn't known.
    package static func problems(of messages: [any DispatchedMessage.Type], in notes: [any RegistrationNote])
        -> [String]
    {
        let orders = notes.compactMap { $0 as? MiddlewareOrder }
        if orders.isEmpty { return [] }
        let handled = Set(
            notes.compactMap { $0 as? MessageEntry }.filter { !$0.handlers.isEmpty }.map {
                ObjectIdentifier($0.message)
            })
        var problems = messages.filter { !handled.contains(ObjectIdentifier($0)) }
            .map { DispatchError.noHandler(for: $0, in: HandlerList(for: $0)).message }
        let hasKeys = orders.contains { $0.middleware.contains { $0 is any KeyedMiddleware.Type } }
        if !hasKeys, let command = messages.first(where: { $0 is any CQDCommand.Type }) {
            problems.append(
                """
                A client sends '\(String(naming: command))' again after a lost answer, so it could take effect twice. To fix, add an \
                'IdempotencyMiddleware' to the dispatcher.
                """)
        }
        return problems
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

/// The middleware of one dispatcher, which is checked together with the dependency graph.
struct MiddlewareOrder: RegistrationNote {
    /// The types of the middleware, the outermost first.
    let middleware: [any Middleware.Type]

    /// The types of the commands that the dispatcher handles.
    let commands: [Any.Type]

    /// The handlers of commands, each with its command.
    let commandHandlers: [(handler: Any.Type, command: Any.Type)]

    init(middleware: [any Middleware.Type], catalog: HandlerCatalog) {
        self.middleware = middleware
        commands = catalog.entries.map(\.message).filter { $0 is any CQDCommand.Type }
        commandHandlers = catalog.handlers.filter { $0.message is any CQDCommand.Type }.map { ($0.type, $0.message) }
    }

    /// Returns a problem for each command that isn't `Encodable` and each result that isn't `Codable`, if a middleware
    /// stores commands under idempotency keys.
    static func unproved(in notes: [MiddlewareOrder], among all: [any RegistrationNote]) -> [CompositionProblem] {
        notes.flatMap { note -> [CompositionProblem] in
            guard let keyed = note.middleware.first(where: { $0 is any KeyedMiddleware.Type }) else { return [] }
            return note.commands.flatMap { command in
                complaints(about: command).map { complaint in
                    CompositionProblem(
                        .notEncodable,
                        path: [command],
                        message: """
                            '\(String(naming: command))' \(complaint), so '\(String(naming: keyed))' refuses it \
                            if it is sent with an idempotency key. To fix, add the conformance.
                            """
                    )
                }
            }
        }
    }

    /// Returns a problem for each handler of commands that receives a context whose changes no middleware is known to commit.
    static func unproved(in notes: [MiddlewareOrder], finding path: PathSearch) -> [CompositionProblem] {
        notes.flatMap { note -> [CompositionProblem] in
            if note.middleware.contains(where: { $0 is any AtomicMiddleware.Type }) { return [] }
            return note.commandHandlers.compactMap { handler, command in
                let keyed = note.middleware.first { $0 is any KeyedMiddleware.Type } as? any KeyedMiddleware.Type
                if keyed?.alwaysHasKey(command) == true { return nil }
                return path(handler) { $0 is any AtomicWorkspace.Type }
                    .map { .missingUnitOfWork($0, of: command, keyed: keyed) }
            }
        }
    }

    /// The reasons why `command` can't be stored with its result.
    private static func complaints(about command: Any.Type) -> [String] {
        var complaints = command is any Encodable.Type ? [] : ["is not 'Encodable'"]
        if let output = (command as? any CQDCommand.Type).map({ output(of: $0) }), output != Void.self,
            !(output is any Codable.Type)
        {
            complaints.append("returns '\(String(naming: output))', which is not 'Codable'")
        }
        return complaints
    }

    private static func output<Command: CQDCommand>(of command: Command.Type) -> Any.Type { Command.Output.self }

    /// Returns a problem for each middleware that has no effect inside an outer middleware.
    static func problems(in notes: [MiddlewareOrder]) -> [CompositionProblem] {
        notes.flatMap { note in
            note.middleware.indices.compactMap { index -> CompositionProblem? in
                guard let inner = note.middleware[index] as? any OrderSensitiveMiddleware.Type,
                    let outer = inner.conflict(withOuter: note.middleware[..<index])
                else { return nil }
                let (name, outerName) = (String(naming: inner), String(naming: outer))
                return CompositionProblem(
                    .misplacedMiddleware,
                    path: [outer, inner],
                    message: """
                        '\(name)' has no effect inside '\(outerName)'. To fix, put it before '\(outerName)' in \
                        'middleware: […]'.
                        """
                )
            }
        }
    }
}

extension CompositionProblem {
    /// The handler of `command` at the start of `path` receives the context at the end.
    fileprivate static func missingUnitOfWork(
        _ path: [Any.Type],
        of command: Any.Type,
        keyed: (any Middleware.Type)?
    ) -> CompositionProblem {
        let names = path.map { "'\(String(naming: $0))'" }
        let condition = keyed.map { " unless the command has an idempotency key for '\(String(naming: $0))'" } ?? ""
        return CompositionProblem(
            .missingUnitOfWork,
            path: [command] + path,
            message: """
                \(names.joined(separator: " → ")): no unit of work of the dispatcher commits the changes of this handler of \
                '\(String(naming: command))', so they are lost\(condition). To fix, add \
                'UnitOfWorkMiddleware<EntityContext>.self' to 'resolvedMiddleware: […]', or let the handler use \
                'UnitOfWork<EntityContext>' instead.
                """
        )
    }
}

extension CompositionProblem.Kind {
    /// A message that the application sends has no handler.
    public static let missingHandler = CompositionProblem.Kind("missingHandler")

    /// A message has several handlers.
    ///
    /// Only the last handler is used.
    public static let duplicateHandler = CompositionProblem.Kind("duplicateHandler")

    /// A middleware has no effect in its position in the list.
    public static let misplacedMiddleware = CompositionProblem.Kind("misplacedMiddleware")

    /// A command isn't `Encodable` or its result isn't `Codable`, but a middleware stores commands under idempotency keys.
    ///
    /// Only `ValidationLevel.strict` reports it.
    public static let notEncodable = CompositionProblem.Kind("notEncodable")

    /// A command handler changes entities in a context, but no middleware is known to commit that context.
    ///
    /// Only `ValidationLevel.strict` reports it.
    public static let missingUnitOfWork = CompositionProblem.Kind("missingUnitOfWork")
}
