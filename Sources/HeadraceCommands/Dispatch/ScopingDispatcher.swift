//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The standard dispatcher with a scope for each dispatch, without middleware and observers.
struct ScopingDispatcher: CommandQueryDispatcher {
    let handlers: HandlerTable
    let scope: any DependencyResolutionScope

    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        let own = scope.scope()
        defer { withExtendedLifetime(own) {} }
        try await StandardDispatcher(handlers: handlers, scope: own).dispatch(command)
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        let own = scope.scope()
        defer { withExtendedLifetime(own) {} }
        return try await StandardDispatcher(handlers: handlers, scope: own).dispatch(query)
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        // The stream keeps the scope that its handler was made in.
        try await StandardDispatcher(handlers: handlers, scope: scope.scope()).dispatch(query)
    }
}
