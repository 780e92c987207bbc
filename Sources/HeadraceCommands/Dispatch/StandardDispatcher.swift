//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The dispatcher that `standard` registers without middleware and observers: a table of handlers, and the scope
/// that they are made in.
///
/// The table is frozen at registration. A dispatch is one look-up, one handler, one call; nothing is
/// queued, retried or logged here. ``MiddlewareDispatcher`` is the one with middleware: which of them it is was
/// decided at registration, and is not asked for each message.
struct StandardDispatcher: CommandQueryDispatcher {
    let handlers: HandlerTable
    let scope: any DependencyResolutionScope

    @inline(__always)
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        guard let handler = try handlers.makeHandler(of: T.self, in: scope) else {
            throw DispatchError.noHandler(for: T.self, in: "commandHandlers")
        }
        try await handler.handle(command)
    }

    @inline(__always)
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        guard let handler = try handlers.makeHandler(of: T.self, in: scope) else {
            throw DispatchError.noHandler(for: T.self, in: "queryHandlers")
        }
        return try await handler.handle(query)
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        guard let handler = try handlers.makeHandler(of: T.self, in: scope) else {
            throw DispatchError.noHandler(for: T.self, in: "streamHandlers")
        }
        return try await handler.start(query, in: scope)
    }
}
