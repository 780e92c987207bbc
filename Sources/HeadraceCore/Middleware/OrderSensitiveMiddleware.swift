// SPDX-License-Identifier: Apache-2.0

/// Middleware that has no effect inside certain other middleware, which is detected when a program is composed.
package protocol OrderSensitiveMiddleware: Middleware {
    /// Returns the middleware in `outer` inside which this middleware has no effect; `nil` if there is none.
    static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)?
}

/// Middleware that rolls back everything inside it after a failure, so that no part can be retried alone.
package protocol AtomicMiddleware: Middleware {}

/// An object whose changes only an ``AtomicMiddleware`` stores, if a handler of commands receives the object from its scope.
package protocol AtomicWorkspace: AnyObject {}

extension RetryMiddleware: OrderSensitiveMiddleware {
    /// Returns the outermost atomic middleware, inside which no message is retried alone.
    package static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)? {
        outer.first { $0 is any AtomicMiddleware.Type }
    }
}
