//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

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
    private var registrations: [Registration] = []

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
        var bindings: [(ObjectIdentifier, Binding)] = []
        bindings.reserveCapacity(registrations.count)
        for (index, registration) in registrations.enumerated() {
            bindings.append((ObjectIdentifier(registration.contract), registration.makeBinding(index)))
        }
        return Container(TypeTable(bindings))
    }
}
