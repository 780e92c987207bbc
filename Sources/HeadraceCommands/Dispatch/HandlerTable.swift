//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The handlers of a dispatcher, by the type of their message.
final class HandlerTable: Sendable {
    // Three tables, because a type may be a command and a query at once, and a route serves one of them.
    private let commands: TypeTable<Route>
    private let queries: TypeTable<Route>
    private let streams: TypeTable<Route>

    /// Creates a table; the last handler of a message wins.
    init(
        commandHandlers: [any (HandlesCommand & Resolvable).Type],
        queryHandlers: [any (HandlesQuery & Resolvable).Type],
        streamHandlers: [any (HandlesStreamQuery & Resolvable).Type]
    ) {
        commands = TypeTable(commandHandlers.map { Self.row($0) })
        queries = TypeTable(queryHandlers.map { Self.row($0) })
        streams = TypeTable(streamHandlers.map { Self.row($0) })
    }

    /// Makes the handler of a command, or gives `nil` where nothing handles it.
    ///
    /// - Throws: `ResolutionError` if a stated dependency of the handler is missing.
    func makeHandler<Command: CQDCommand>(
        of command: Command.Type,
        in scope: any DependencyResolutionScope
    ) throws -> (any HandlesCommand<Command>)? {
        guard let route = unsafe commands.unretained(command) else { return nil }
        // The key of a row is the type that its route is generic over: see `row`.
        return try unsafe route._withUnsafeGuaranteedRef {
            try unsafe unsafeDowncast($0, to: CommandRoute<Command>.self).makeHandler(in: scope)
        }
    }

    /// Makes the handler of a query, or gives `nil` where nothing handles it.
    ///
    /// - Throws: `ResolutionError` if a stated dependency of the handler is missing.
    func makeHandler<Query: CQDQuery>(
        of query: Query.Type,
        in scope: any DependencyResolutionScope
    ) throws -> (any HandlesQuery<Query>)? {
        guard let route = unsafe queries.unretained(query) else { return nil }
        // As above.
        return try unsafe route._withUnsafeGuaranteedRef {
            try unsafe unsafeDowncast($0, to: QueryRoute<Query>.self).makeHandler(in: scope)
        }
    }

    /// Makes the handler of a stream query, or gives `nil` where nothing handles it.
    ///
    /// - Throws: `ResolutionError` if a stated dependency of the handler is missing.
    func makeHandler<Query: CQDStreamQuery>(
        of query: Query.Type,
        in scope: any DependencyResolutionScope
    ) throws -> (any HandlesStreamQuery<Query>)? {
        guard let route = unsafe streams.unretained(query) else { return nil }
        // As above.
        return try unsafe route._withUnsafeGuaranteedRef {
            try unsafe unsafeDowncast($0, to: StreamRoute<Query>.self).makeHandler(in: scope)
        }
    }

    private static func row<H: HandlesCommand & Resolvable>(_ handler: H.Type) -> (ObjectIdentifier, Route) {
        (ObjectIdentifier(H.Command.self), HandlerCommandRoute<H>())
    }

    private static func row<H: HandlesQuery & Resolvable>(_ handler: H.Type) -> (ObjectIdentifier, Route) {
        (ObjectIdentifier(H.Query.self), HandlerQueryRoute<H>())
    }

    private static func row<H: HandlesStreamQuery & Resolvable>(_ handler: H.Type) -> (ObjectIdentifier, Route) {
        (ObjectIdentifier(H.Query.self), HandlerStreamRoute<H>())
    }
}
