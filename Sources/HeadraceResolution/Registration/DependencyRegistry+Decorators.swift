// SPDX-License-Identifier: Apache-2.0

/// Decorators: functions that wrap the objects of another registration.
///
/// ```swift
/// builder.singleton((any Mailer).self) { SmtpMailer() }
/// builder.decorate((any Mailer).self, with: LoggingMailer.init)
/// ```
///
/// A decorator applies to the registration of its contract that is used, and to each member of a set, in any order of
/// registration. The lifetime is that of the decorated registration: a shared object is decorated once. Of several decorators,
/// the first one is innermost. A decorator without a registration of its contract is a `missing` problem of `validate()`.
///
/// In a main-actor registration, decorators run on the main actor.
extension DependencyRegistry {
    /// Replaces each object of `contract` with the result of `decorator`.
    public func decorate<Contract>(
        _ contract: Contract.Type,
        _ decorator: @escaping @Sendable (Contract) -> Contract
    ) {
        register(Registration(decorating: contract, Dependencies()) { object, _ in decorator(object) })
    }

    /// Replaces each object of `contract` with the result of `decorator`, which has dependencies from its scope.
    public func decorate<Contract>(
        _ contract: Contract.Type,
        _ decorator: @escaping @Sendable (Contract, any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(decorating: contract, .unknown, decorator))
    }

    /// Replaces each object of `contract` with the result of `initializer`.
    ///
    /// The first parameter is the object, and the other parameters are resolved.
    public func decorate<Contract, each Parameter>(
        _ contract: Contract.Type,
        with initializer: @escaping @Sendable (Contract, repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(decorating: contract, dependencies) { object, scope in
                initializer(object, repeat scope.resolve((each Parameter).self))
            }
        )
    }
}
