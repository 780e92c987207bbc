// SPDX-License-Identifier: Apache-2.0

/// Initializers and other functions. Their parameters are the dependencies.
///
/// ```swift
/// builder.singleton(DiskStore.init)
/// builder.transient((any Mailer).self, SmtpMailer.init)
/// ```
///
/// The parameters state the dependencies, so the registration can be checked and changes with the initializer. If a type has
/// several initializers, the compiler prefers `init()` and `init(scope:)`. Name another initializer with its labels:
/// `SmtpMailer.init(host:)`.
extension DependencyRegistry {
    /// Registers the type that `initializer` returns, with each parameter resolved: a new object each time.
    public func transient<Implementation, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        transient(Implementation.self, initializer)
    }

    /// Registers `contract` with an `initializer` of an implementation, with each parameter resolved: a new object each time.
    public func transient<Contract, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.transient, contract, initializer: initializer))
    }

    /// Registers the type that `initializer` returns, with each parameter resolved: one object in each scope.
    public func scoped<Implementation: Sendable, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        scoped(Implementation.self, initializer)
    }

    /// Registers `contract` with an `initializer` of an implementation, with each parameter resolved: one object in each scope.
    public func scoped<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.scoped, contract, initializer: initializer))
    }

    /// Registers the type that `initializer` returns, with each parameter resolved: one object in the container.
    public func singleton<Implementation: Sendable, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        singleton(Implementation.self, initializer)
    }

    /// Registers `contract` with an `initializer` of an implementation, with each parameter resolved: one object in the container.
    public func singleton<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.singleton, contract, initializer: initializer))
    }
}

extension Registration {
    /// Records that `initializer` makes a `Contract` from its parameters.
    fileprivate init<Contract, each Parameter>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        self.init(lifetime, contract, Dependencies(on: repeat (each Parameter).self)) { scope in
            initializer(repeat scope.resolve((each Parameter).self))
        }
    }
}
