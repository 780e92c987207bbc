//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution

/// The way of one type of message to its handler.
///
/// Why `@unchecked Sendable` is right here: Swift checks `Sendable` of final classes only. This hierarchy
/// is closed (internal, this file) and no class in it has a stored property.
class Route: @unchecked Sendable {}

/// The way of one type of command.
///
/// It gives the handler and lets the dispatcher call it: each asynchronous function on the way costs a frame.
class CommandRoute<Command: CQDCommand>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesCommand<Command> {
        preconditionFailure("abstract")
    }
}

/// The way of one type of query.
class QueryRoute<Query: CQDQuery>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesQuery<Query> {
        preconditionFailure("abstract")
    }
}

/// The way of one type of stream query.
class StreamRoute<Query: CQDStreamQuery>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesStreamQuery<Query> {
        preconditionFailure("abstract")
    }
}

/// Makes a handler for each command.
final class HandlerCommandRoute<Handler: HandlesCommand & Resolvable>: CommandRoute<Handler.Command>,
    @unchecked Sendable
{
    override func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesCommand<Handler.Command> {
        Handler(scope: scope)
    }
}

/// Makes a handler for each query.
final class HandlerQueryRoute<Handler: HandlesQuery & Resolvable>: QueryRoute<Handler.Query>, @unchecked Sendable {
    override func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesQuery<Handler.Query> {
        Handler(scope: scope)
    }
}

/// Makes a handler for each stream query.
final class HandlerStreamRoute<Handler: HandlesStreamQuery & Resolvable>: StreamRoute<Handler.Query>,
    @unchecked Sendable
{
    override func makeHandler(in scope: any DependencyResolutionScope) -> any HandlesStreamQuery<Handler.Query> {
        Handler(scope: scope)
    }
}
