//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Stands for an implementation in a registration: `builder.singleton((any Mailer).self, assigned(SmtpMailer.self))`.
///
/// It is a function, not a box, because Swift converts a function that returns an implementation to
/// one that returns the contract, and so checks at compile time that the one is the other. It gives the factory.
public typealias Assigned<Contract> =
    (_ assignment: inout Assignment) -> @Sendable (any DependencyResolutionScope) -> Contract

/// What a registration learns of an assigned implementation.
///
/// Only `assigned(_:)` writes it.
public struct Assignment: Sendable {
    /// The implementation.
    fileprivate(set) var implementation: Any.Type?

    /// What the factory takes from its scope.
    fileprivate(set) var dependencies = Dependencies.unknown
}

/// Gives the contract by resolving `implementation`, which is registered on its own.
///
/// ```swift
/// builder.singleton(SmtpMailer.init)
/// builder.transient((any Mailer).self, assigned(SmtpMailer.self))
/// ```
public func assigned<T>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.dependencies = Dependencies().on(T.self)
        return { $0.resolve(T.self) }
    }
}

/// Gives the contract by making `implementation`, which needs no registration of its own.
///
/// ```swift
/// builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
/// ```
public func assigned<T: Resolvable>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.implementation = T.self
        assignment.dependencies = T.ownDependencies
        return { T(scope: $0) }
    }
}
