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
class CommandRoute<Command: CQDCommand>: Route, @unchecked Sendable {
    nonisolated(nonsending) func handle(_ command: Command, in scope: any DependencyResolutionScope) async throws {
        preconditionFailure("abstract")
    }
}

/// The way of one type of query.
class QueryRoute<Query: CQDQuery>: Route, @unchecked Sendable {
    nonisolated(nonsending) func handle(
        _ query: Query,
        in scope: any DependencyResolutionScope
    ) async throws -> Query.Value {
        preconditionFailure("abstract")
    }
}

/// Makes a handler for each command.
final class HandlerCommandRoute<Handler: HandlesCommand & Resolvable>: CommandRoute<Handler.Command>,
    @unchecked Sendable
{
    override nonisolated(nonsending) func handle(
        _ command: Handler.Command,
        in scope: any DependencyResolutionScope
    ) async throws {
        try await Handler(scope: scope).handle(command)
    }
}

/// Makes a handler for each query.
final class HandlerQueryRoute<Handler: HandlesQuery & Resolvable>: QueryRoute<Handler.Query>, @unchecked Sendable {
    override nonisolated(nonsending) func handle(
        _ query: Handler.Query,
        in scope: any DependencyResolutionScope
    ) async throws -> Handler.Query.Value {
        try await Handler(scope: scope).handle(query)
    }
}
