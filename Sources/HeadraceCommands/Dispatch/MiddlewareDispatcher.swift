//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The standard dispatcher where something wraps or watches its messages.
///
/// The handler is made at the end of the chain, so a message that middleware refuses has none. What the end of the chain
/// needs is copied first and not captured with `self`, nor by a capture list: Swift 6.3 takes a closure that has one off
/// the caller's actor.
struct MiddlewareDispatcher: CommandQueryDispatcher {
    let handlers: HandlerTable
    let chain: MiddlewareChain
    let scoping: DispatchScoping
    let scope: any DependencyResolutionScope

    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        let handlers = handlers
        let scope = scoping.scope(for: scope)
        defer { withExtendedLifetime(scope) {} }
        guard let makeMiddleware = scoping.makeMiddleware else {
            return try await chain.run(command, kind: .command) { command in
                try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(command)
            }
        }
        try await chain.run(command, kind: .command, inner: makeMiddleware(scope)) { command in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(command)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        let handlers = handlers
        let scope = scoping.scope(for: scope)
        defer { withExtendedLifetime(scope) {} }
        guard let makeMiddleware = scoping.makeMiddleware else {
            return try await chain.run(query, kind: .query) { query in
                try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(query)
            }
        }
        return try await chain.run(query, kind: .query, inner: makeMiddleware(scope)) { query in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(query)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        let handlers = handlers
        let scope = scoping.scope(for: scope)
        let middleware = scoping.makeMiddleware?(scope) ?? []
        return try await chain.run(query, kind: .query, inner: middleware) { query in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(query)
                .handled(as: MessageContext.current)
        }
    }
}

extension DispatchScoping {
    /// What makes the middleware of one dispatch, or `nil` where none is made for it.
    fileprivate var makeMiddleware: (@Sendable (any DependencyResolutionScope) -> [any Middleware])? {
        switch choice {
        case .dispatcher: nil
        case .perDispatch(let makeMiddleware): makeMiddleware
        }
    }

    /// The scope of one dispatch.
    fileprivate func scope(for dispatcher: any DependencyResolutionScope) -> any DependencyResolutionScope {
        switch choice {
        case .dispatcher: dispatcher
        case .perDispatch: dispatcher.scope()
        }
    }
}
