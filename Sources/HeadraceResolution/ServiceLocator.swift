//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// A resolver filled with instances while the program runs, without a builder and without scopes.
///
/// ```swift
/// let services = ServiceLocator()
/// services.register(NotificationService())
/// let notifications: NotificationService = services.resolve()
/// ```
///
/// It may be shared and filled from several tasks. An optional type resolves as in a ``Container``: to what
/// its wrapped type is registered as, and to `nil` where that is not registered at all. Where the objects depend on one another, or have
/// different lifetimes, use ``ContainerBuilder``.
public final class ServiceLocator: DependencyResolver, Sendable {
    private typealias Factory = @Sendable () -> any Sendable

    private let factories = Mutex<[ObjectIdentifier: Factory]>([:])

    /// Creates a locator without registrations.
    public init() {}

    /// Gives `instance` to everyone who resolves a `T` from now on; the last registration of a type wins.
    public func register<T: Sendable>(_ instance: T) {
        register(T.self) { instance }
    }

    /// Gives `instance` to everyone who resolves the `contract` from now on.
    public func register<T: Sendable>(_ contract: T.Type, _ instance: T) {
        register(contract) { instance }
    }

    /// Gives what `factory` makes, anew each time, to everyone who resolves the `contract` from now on.
    public func register<T: Sendable>(_ contract: T.Type, _ factory: @escaping @Sendable () -> T) {
        factories.withLock { $0[ObjectIdentifier(contract)] = factory }
    }

    /// Gives what is registered for `type` at this moment, or `nil` where nothing is.
    public func tryResolve<T>(_ type: T.Type) -> T? {
        if let factory = factories.withLock({ $0[ObjectIdentifier(type)] }) {
            // The factory runs outside the lock: it may resolve from this locator.
            return factory() as? T
        }
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: self) as? T
        }
        return nil
    }
}
