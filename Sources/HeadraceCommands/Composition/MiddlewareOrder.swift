//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The middleware of one dispatcher, which is checked together with the dependency graph.
struct MiddlewareOrder: RegistrationNote {
    /// The types of the middleware, the outermost first.
    let middleware: [any Middleware.Type]

    /// The types of the commands that the dispatcher handles.
    let commands: [Any.Type]

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
