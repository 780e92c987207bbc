// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The synchronous middleware of a station, as three functions for its actions.
///
/// Each function calls the function of the outer middleware and then one middleware, or the reverse. So an action doesn't copy each
/// `any ActionMiddleware` out of an array three times.
struct SynchronousMiddleware<Action: Sendable> {
    private typealias Step = (Action, MessageContext) -> Void

    private var refusal: ((Action, MessageContext) -> (any ActionMiddleware.Type)?)?
    private var before: Step?
    private var after: Step?

    /// Takes the middleware that is an `ActionMiddleware`.
    init(_ middleware: [any Middleware]) {
        for case let middleware as any ActionMiddleware in middleware { append(middleware) }
    }

    var isEmpty: Bool { before == nil }

    private mutating func append<M: ActionMiddleware>(_ middleware: M) {
        let outerRefusal = refusal ?? { _, _ in nil }
        let beforeOuter = before ?? { _, _ in }
        let afterOuter = after ?? { _, _ in }
        refusal = { action, context in
            if let outer = outerRefusal(action, context) { return outer }
            return middleware.shouldExecute(action, in: context) ? nil : M.self
        }
        before = { action, context in
            beforeOuter(action, context)
            middleware.willExecute(action, in: context)
        }
        after = { action, context in
            middleware.didExecute(action, in: context, outcome: .success)
            afterOuter(action, context)
        }
    }

    /// Asks each middleware, the outermost first, and returns the first that refuses `action`; `nil` if none does.
    func refusing(_ action: Action, in context: MessageContext) -> (any ActionMiddleware.Type)? {
        refusal?(action, context)
    }

    /// Calls each middleware before the reduction of `action`, the outermost first.
    func willExecute(_ action: Action, in context: MessageContext) {
        before?(action, context)
    }

    /// Calls each middleware after the reduction of `action`, the outermost last.
    func didExecute(_ action: Action, in context: MessageContext) {
        after?(action, context)
    }
}
