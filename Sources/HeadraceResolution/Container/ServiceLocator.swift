// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A resolver that is filled with instances while the program runs, without a builder and without scopes.
///
/// ```swift
/// let services = ServiceLocator()
/// services.register(NotificationService())
/// let notifications: NotificationService = services.resolve()
/// ```
///
/// Several tasks may share and fill it. An optional type resolves as in a ``Container``: to the registration of its wrapped
/// type, and to `nil` if that type isn't registered. If objects depend on one another or have different lifetimes, use
/// ``ContainerBuilder``.
public final class ServiceLocator: DependencyResolver, Sendable {
    private typealias MakeObject = @Sendable () -> any Sendable

    private let factories = Mutex<[ObjectIdentifier: MakeObject]>([:])

    /// Creates a locator without registrations.
    public init() {}

    /// Registers `instance` for `T`.
    ///
    /// The last registration of a type wins.
    public func register<T: Sendable>(_ instance: T) {
        register(T.self) { instance }
    }

    /// Registers `instance` for `contract`.
    public func register<T: Sendable>(_ contract: T.Type, _ instance: T) {
        register(contract) { instance }
    }

    /// Registers `factory` for `contract`.
    ///
    /// Each resolution calls it.
    public func register<T: Sendable>(_ contract: T.Type, _ factory: @escaping @Sendable () -> T) {
        factories.withLock { $0[ObjectIdentifier(contract)] = factory }
    }

    /// Returns an object of `type`, or `nil` if nothing is registered for it at this moment.
    public func tryResolve<T>(_ type: T.Type) -> T? {
        if let factory = factories.withLock({ $0[ObjectIdentifier(type)] }) {
            // The factory runs outside the lock, because it may resolve from this locator.
            return factory() as? T
        }
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: self) as? T
        }
        return nil
    }
}
