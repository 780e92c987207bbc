// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution

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
