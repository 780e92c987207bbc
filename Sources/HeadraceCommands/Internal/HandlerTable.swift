//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The handlers of a dispatcher, by the type of their message.
struct HandlerTable: Sendable {
    // Two tables, because a type may be a command and a query at once, and a route serves one of them.
    private let commands: TypeTable<Route>
    private let queries: TypeTable<Route>

    /// Creates a table; the last handler of a message wins.
    init(
        commandHandlers: [any (HandlesCommand & Resolvable).Type],
        queryHandlers: [any (HandlesQuery & Resolvable).Type]
    ) {
        commands = TypeTable(commandHandlers.map { Self.row($0) })
        queries = TypeTable(queryHandlers.map { Self.row($0) })
    }

    /// The route of a command, or `nil` where nothing handles it.
    func route<Command: CQDCommand>(of command: Command.Type) -> CommandRoute<Command>? {
        // The key of a row is the type that its route is generic over: see `row`.
        guard let route = commands[command] else { return nil }
        return unsafe unsafeDowncast(route, to: CommandRoute<Command>.self)
    }

    /// The route of a query, or `nil` where nothing handles it.
    func route<Query: CQDQuery>(of query: Query.Type) -> QueryRoute<Query>? {
        // As above.
        guard let route = queries[query] else { return nil }
        return unsafe unsafeDowncast(route, to: QueryRoute<Query>.self)
    }

    private static func row<H: HandlesCommand & Resolvable>(_ handler: H.Type) -> (ObjectIdentifier, Route) {
        (ObjectIdentifier(H.Command.self), HandlerCommandRoute<H>())
    }

    private static func row<H: HandlesQuery & Resolvable>(_ handler: H.Type) -> (ObjectIdentifier, Route) {
        (ObjectIdentifier(H.Query.self), HandlerQueryRoute<H>())
    }
}
