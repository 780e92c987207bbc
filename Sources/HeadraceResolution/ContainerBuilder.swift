//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Collects registrations and freezes them into a ``Container``.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Mailer).self) { SmtpMailer(host: "localhost") }
/// builder.transient { SignUp(mailer: $0.resolve()) }
///
/// let container = builder.build()
/// let signUp: SignUp = container.resolve()
/// ```
public final class ContainerBuilder: DependencyRegistry {
    private(set) var registrations: [Registration] = []

    /// Creates a builder without registrations.
    public init() {}

    /// Records `registration`, replacing an earlier one of the same contract.
    public func register(_ registration: Registration) {
        registrations.append(registration)
    }

    /// Makes a container of what is registered so far.
    ///
    /// Each container has singletons of its own; a registration that is added later does not reach a
    /// container built earlier.
    public func build() -> Container {
        Container(registrations)
    }

    /// What a container of what is registered so far can make, and out of what.
    public var graph: DependencyGraph {
        DependencyGraph(registrations)
    }

    /// Proves that everything registered so far can be made, and makes nothing.
    ///
    /// ```swift
    /// try builder.validate()
    /// let container = builder.build()
    /// ```
    ///
    /// It finds whatever is missing, needs itself, is registered twice, or is a singleton that holds something
    /// scoped. It knows what `Resolvable` types and registrations state, see ``Dependencies``; a closure
    /// that takes its scope states nothing, is opaque, and is not looked into.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate() throws {
        try validate(.standard)
    }

    /// Proves as much as `level` demands, as ``validate()`` does.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate(_ level: ValidationLevel) throws {
        try graph.validate(level)
    }
}
