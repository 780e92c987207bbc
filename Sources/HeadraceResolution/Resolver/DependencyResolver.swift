// SPDX-License-Identifier: Apache-2.0

/// Resolves types to objects.
///
/// ``Container``, its scopes, and ``ServiceLocator`` are resolvers. To write your own, implement ``tryResolve(_:)``; the
/// other methods have default implementations.
///
/// A resolver creates objects synchronously, in the caller's isolation. An object must be `Sendable` only if it is shared:
/// see ``DependencyRegistry``.
public protocol DependencyResolver {
    /// Returns an object of `type`, or `nil` if nothing is registered for it.
    func tryResolve<T>(_ type: T.Type) -> T?

    /// Returns an object of `type`.
    ///
    /// - Precondition: `type` is registered. Otherwise the program stops; the message has the path of the objects that
    ///   were being created, and the line to add.
    func resolve<T>(_ type: T.Type) -> T

    /// Returns an object of `type`, or throws the reason why it can't be resolved.
    ///
    /// Use it if a mistake in the composition must not stop the program. In an event handler, for example, the mistake
    /// then costs one delivery.
    ///
    /// ```swift
    /// let mailer = try resolver.require((any Mailer).self)
    /// ```
    ///
    /// A ``Container`` and its scopes check the stated dependencies of `type` first, once for each type. A factory that
    /// takes its scope states no dependencies: if such a factory resolves a missing type, the program stops.
    ///
    /// - Throws: ``ResolutionError``, with the message with which ``resolve(_:)`` stops the program.
    func require<T>(_ type: T.Type) throws(ResolutionError) -> T

    /// Returns the members of the set of `type`, in the order of registration, each with its own lifetime.
    ///
    /// If `type` has no set, the result has the object that ``tryResolve(_:)`` returns, or is empty.
    func resolveAll<T>(_ type: T.Type) -> [T]
}
