//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Initializers and other functions. Their parameters are the dependencies.
///
/// ```swift
/// builder.singleton(DiskStore.init)
/// builder.transient((any Mailer).self, SmtpMailer.init)
/// ```
///
/// The parameters state the dependencies, so the registration is proved, and changes with the initializer. If a type has
/// several initializers, the compiler prefers `init()` and `init(scope:)`. Name another initializer with its labels:
/// `SmtpMailer.init(host:)`.
extension DependencyRegistry {
    /// Registers what `initializer` makes, with each parameter resolved: a new one each time.
    public func transient<Implementation, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        transient(Implementation.self, initializer)
    }

    /// Registers `contract`, made by `initializer` of anything that is one, with each parameter resolved: a new one each time.
    public func transient<Contract, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(transient: contract, dependencies: dependencies) { scope in
                initializer(repeat scope.resolve((each Parameter).self))
            }
        )
    }

    /// Registers what `initializer` makes, with each parameter resolved: one in each scope.
    public func scoped<Implementation: Sendable, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        scoped(Implementation.self, initializer)
    }

    /// Registers `contract`, made by `initializer` of anything that is one, with each parameter resolved: one in each scope.
    public func scoped<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(scoped: contract, dependencies: dependencies) { scope in
                initializer(repeat scope.resolve((each Parameter).self))
            }
        )
    }

    /// Registers what `initializer` makes, with each parameter resolved: one in the container.
    public func singleton<Implementation: Sendable, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        singleton(Implementation.self, initializer)
    }

    /// Registers `contract`, made by `initializer` of anything that is one, with each parameter resolved: one in the container.
    public func singleton<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(singleton: contract, dependencies: dependencies) { scope in
                initializer(repeat scope.resolve((each Parameter).self))
            }
        )
    }
}
