//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Middleware that does nothing within some other, and can tell so when a program is composed.
package protocol OrderSensitiveMiddleware: Middleware {
    /// The one of `outer` within which it does nothing, if there is one.
    static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)?
}

/// Middleware within which a message is handled once: what fails there takes back what others have done as well.
package protocol AtomicMiddleware: Middleware {}

extension RetryMiddleware: OrderSensitiveMiddleware {
    /// What holds several messages together, so that none of them is retried alone.
    package static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)? {
        outer.first { $0 is any AtomicMiddleware.Type }
    }
}
