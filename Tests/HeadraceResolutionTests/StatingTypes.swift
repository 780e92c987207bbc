//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution

/// A type that states what it takes, and takes it.
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

/// What may be missing.
final class Audit: Sendable {}

/// One of several, which states that it takes nothing.
protocol Rule: Sendable {
    var name: String { get }
}

struct NamedRule: Rule {
    let name: String
}

/// A rule that makes itself.
final class StatedRule: Rule, Resolvable {
    let name = "stated"

    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}
}

/// A builder with what `register` puts in it.
func builder(_ register: (ContainerBuilder) -> Void) -> ContainerBuilder {
    let builder = ContainerBuilder()
    register(builder)
    return builder
}
