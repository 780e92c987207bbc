// SPDX-License-Identifier: Apache-2.0

/// Middleware that stores commands with an idempotency key, and therefore requires them to be `Encodable`.
///
/// It runs each command that has a key as atomic work.
package protocol KeyedMiddleware: Middleware {
    /// Whether each command of the type `command` has a key; `false` by default.
    static func alwaysHasKey(_ command: Any.Type) -> Bool
}

extension KeyedMiddleware {
    package static func alwaysHasKey(_ command: Any.Type) -> Bool { false }
}
