// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution

/// A type that states its dependencies and resolves them.
final class SignUp: Resolvable, Sendable {
    let mailer: any Mailer
    let audit: Audit?

    static var dependencies: Dependencies {
        Dependencies().on((any Mailer).self).on(Audit?.self)
    }

    init(scope: any DependencyResolutionScope) {
        mailer = scope.resolve()
        audit = scope.resolve()
    }
}

/// An optional dependency.
final class Audit: Sendable {}

/// The element type of a set.
protocol Rule: Sendable {
    var name: String { get }
}

struct NamedRule: Rule {
    let name: String
}

/// A rule that creates itself, and states that it has no dependencies.
final class StatedRule: Rule, Resolvable {
    let name = "stated"

    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}
}

/// Returns a builder with the registrations of `register`.
func builder(_ register: (ContainerBuilder) -> Void) -> ContainerBuilder {
    let builder = ContainerBuilder()
    register(builder)
    return builder
}
