// SPDX-License-Identifier: Apache-2.0

/// The strictness of ``ContainerBuilder/validate(_:)``.
public struct ValidationLevel: Hashable, Sendable {
    private enum Kind { case standard, strict }

    private let kind: Kind

    /// All stated dependencies must be right.
    ///
    /// Closures that resolve by hand are not checked.
    public static let standard = ValidationLevel(kind: .standard)

    /// All dependencies must be stated, so that they can be checked.
    ///
    /// In addition to the problems of ``standard``, this level reports:
    /// - closures that take their scope, types that don't state their dependencies, and static event handlers;
    /// - durable events that are declared and have no handler in this program, and events that are handled and not declared;
    /// - commands that can be scheduled and that no relay carries out;
    /// - commands that aren't `Encodable`, though a middleware keeps idempotency keys.
    public static let strict = ValidationLevel(kind: .strict)
}
