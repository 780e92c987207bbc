//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution

/// The way of one type of message to its handler.
///
/// Why `@unchecked Sendable` is right here: Swift checks `Sendable` of final classes only. This hierarchy
/// is closed (internal, this file) and its only stored property is an immutable `Sendable` value.
class Route: @unchecked Sendable {
    /// Whether the dependencies of the handler are known to be registered.
    let proof = ProofMemory()
}

/// The way of one type of command.
///
/// It gives the handler and lets the dispatcher call it: each asynchronous function on the way costs a frame. If a stated
/// dependency of the handler is missing, it throws a `ResolutionError`: a mistake in the composition fails the command and
/// not the process. What was proved holds as long as the container exists; a dispatcher must not outlive it.
class CommandRoute<Command: CQDCommand>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesCommand<Command> {
        preconditionFailure("abstract")
    }
}

/// The way of one type of query.
class QueryRoute<Query: CQDQuery>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesQuery<Query> {
        preconditionFailure("abstract")
    }
}

/// The way of one type of stream query.
class StreamRoute<Query: CQDStreamQuery>: Route, @unchecked Sendable {
    func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesStreamQuery<Query> {
        preconditionFailure("abstract")
    }
}

/// Makes a handler for each command.
final class HandlerCommandRoute<Handler: HandlesCommand & Resolvable>: CommandRoute<Handler.Command>,
    @unchecked Sendable
{
    override func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesCommand<Handler.Command> {
        try proof.check(Handler.self, in: scope)
        return Handler(scope: scope)
    }
}

/// Makes a handler for each query.
final class HandlerQueryRoute<Handler: HandlesQuery & Resolvable>: QueryRoute<Handler.Query>, @unchecked Sendable {
    override func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesQuery<Handler.Query> {
        try proof.check(Handler.self, in: scope)
        return Handler(scope: scope)
    }
}

/// Makes a handler for each stream query.
final class HandlerStreamRoute<Handler: HandlesStreamQuery & Resolvable>: StreamRoute<Handler.Query>,
    @unchecked Sendable
{
    override func makeHandler(in scope: any DependencyResolutionScope) throws -> any HandlesStreamQuery<Handler.Query> {
        try proof.check(Handler.self, in: scope)
        return Handler(scope: scope)
    }
}
