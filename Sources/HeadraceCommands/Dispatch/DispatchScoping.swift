//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceResolution

/// Which scope the handlers of the standard dispatcher are made in.
public struct DispatchScoping: Sendable {
    enum Choice: Sendable {
        case dispatcher
        case perDispatch(makeMiddleware: (@Sendable (any DependencyResolutionScope) -> [any Middleware])?)
    }

    let choice: Choice

    /// What a dispatcher takes from its scope as it is made: nothing, as its handlers are made later.
    ///
    /// What middleware of one's own takes is not known.
    var dependencies: Dependencies {
        if case .perDispatch(makeMiddleware: .some) = choice { .unknown } else { Dependencies() }
    }

    /// The scope that the dispatcher was resolved from: the default.
    ///
    /// What is scoped is shared by all that is dispatched from one scope. It is the default because a program
    /// opens its scopes where something begins that belongs together (a request, a window, a job), and what a
    /// handler dispatches in turn belongs to that: it finds the same unit of work and the same user. Opening no
    /// scope also costs nothing.
    public static let dispatcher = DispatchScoping(choice: .dispatcher)

    /// A new scope for each dispatch, which ends with it; for a stream, with the stream.
    ///
    /// What is scoped is one per dispatch, also where middleware handles the message several times. What a handler
    /// dispatches in turn has a scope of its own again, and so shares nothing scoped with that handler.
    public static let perDispatch = DispatchScoping(choice: .perDispatch(makeMiddleware: nil))

    /// A new scope for each dispatch, with middleware that is made in it.
    ///
    /// ```swift
    /// builder.commandQueryDispatch().standard(
    ///     commandHandlers: [AddSomethingCommandHandler.self],
    ///     middleware: [Announcing()],
    ///     scoping: .perDispatch { scope in [Committing(scope: scope)] }
    /// )
    /// ```
    ///
    /// - Parameter makeMiddleware: Makes the middleware of one dispatch, in order, within all that is registered
    ///   as `middleware`. It runs once for each dispatch, before any of them, in the isolation of the caller.
    /// - Returns: The scoping.
    public static func perDispatch(
        makeMiddleware: @escaping @Sendable (_ scope: any DependencyResolutionScope) -> [any Middleware]
    ) -> DispatchScoping {
        DispatchScoping(choice: .perDispatch(makeMiddleware: makeMiddleware))
    }
}
