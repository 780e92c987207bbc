//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The standard dispatcher where something wraps or watches its messages.
///
/// The handler is made at the end of the chain, so a message that middleware refuses has none.
struct MiddlewareDispatcher: CommandQueryDispatcher {
    let handlers: HandlerTable
    let chain: MiddlewareChain
    let scoping: DispatchScoping
    let scope: any DependencyResolutionScope

    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        let (chain, scope) = begin()
        defer { withExtendedLifetime(scope) {} }
        try await chain.run(command, kind: .command) { command in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(command)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        let (chain, scope) = begin()
        defer { withExtendedLifetime(scope) {} }
        return try await chain.run(query, kind: .query) { query in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(query)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        let (chain, scope) = begin()
        return try await chain.run(query, kind: .query) { query in
            try await StandardDispatcher(handlers: handlers, scope: scope).dispatch(query)
                .handled(as: MessageContext.current)
        }
    }

    /// The scope of one dispatch, and all middleware of it.
    private func begin() -> (MiddlewareChain, any DependencyResolutionScope) {
        switch scoping.choice {
        case .dispatcher:
            return (chain, scope)
        case .perDispatch(makeMiddleware: nil):
            return (chain, scope.scope())
        case .perDispatch(let makeMiddleware?):
            let own = scope.scope()
            return (chain.wrapping(makeMiddleware(own)), own)
        }
    }
}
