//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceResolution

/// Registers a ``CommandQueryDispatcher``; `commandQueryDispatch()` of a registry begins it.
public struct CommandQueryDispatchRegistration {
    let registry: any DependencyRegistry

    /// Registers the standard dispatcher, as transient, with these handlers.
    ///
    /// Each dispatch makes its handler in the scope that the dispatcher was resolved from, in the task and
    /// on the actor of the caller. Where two handlers take the same message, the last one does.
    ///
    /// ```swift
    /// builder.commandQueryDispatch().standard(
    ///     commandHandlers: [AddSomethingCommandHandler.self],
    ///     queryHandlers: [GetInfoQueryHandler.self])
    /// ```
    public func standard(
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
        queryHandlers: [any (HandlesQuery & Resolvable).Type] = []
    ) {
        let handlers = HandlerTable(commandHandlers: commandHandlers, queryHandlers: queryHandlers)
        registry.transient((any CommandQueryDispatcher).self) { scope in
            StandardDispatcher(handlers: handlers, scope: scope)
        }
    }
}

extension DependencyRegistry {
    /// Begins the registration of a command and query dispatcher.
    public func commandQueryDispatch() -> CommandQueryDispatchRegistration {
        CommandQueryDispatchRegistration(registry: self)
    }
}
