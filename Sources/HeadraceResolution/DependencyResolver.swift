//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Gives objects by their type.
///
/// ``Container``, every scope that it opens, and ``ServiceLocator`` are resolvers. Write your own by
/// implementing ``tryResolve(_:)``; the rest follows.
///
/// A resolver creates synchronously, in the caller's isolation. What it gives needs not be `Sendable`
/// unless it is shared: see ``DependencyRegistry``.
public protocol DependencyResolver {
    /// Gives an object of `type`, or `nil` where nothing is registered for it.
    func tryResolve<T>(_ type: T.Type) -> T?

    /// Gives an object of `type`.
    ///
    /// - Precondition: `type` is registered. A program that resolves what it never registered stops
    ///   here, with the path of what was being made and the line to add.
    func resolve<T>(_ type: T.Type) -> T

    /// Gives an object of `type`, or throws why there is none.
    ///
    /// Use it where a mistake in the composition must not stop the program: in a handler of events, say, where it then
    /// costs one delivery.
    ///
    /// ```swift
    /// let mailer = try resolver.require((any Mailer).self)
    /// ```
    ///
    /// A ``Container`` and its scopes look through the stated dependencies of `type` first, once for each type. A factory
    /// that takes its scope states nothing: if that factory resolves a missing type, the program stops.
    ///
    /// - Throws: ``ResolutionError``, with the message with which ``resolve(_:)`` stops the program.
    func require<T>(_ type: T.Type) throws(ResolutionError) -> T

    /// Gives all that joined the set of `type`, in the order of registration, each with its own lifetime.
    ///
    /// Where nothing joined one, it is what ``tryResolve(_:)`` gives, or nothing.
    func resolveAll<T>(_ type: T.Type) -> [T]
}

extension DependencyResolver {
    /// Gives an object of the type that the context asks for: `let clock: any Clock = resolver.resolve()`.
    ///
    /// - Precondition: As of ``resolve(_:)``.
    @inlinable
    public func resolve<T>() -> T {
        resolve(T.self)
    }

    /// Gives an object of the type that the context asks for, or `nil` where nothing is registered for it.
    @inlinable
    public func tryResolve<T>() -> T? {
        tryResolve(T.self)
    }

    /// Gives an object of the type that the context asks for, or throws why there is none.
    ///
    /// - Throws: As of ``require(_:)``.
    @inlinable
    public func require<T>() throws(ResolutionError) -> T {
        try require(T.self)
    }

    /// Gives an object of `type` by ``tryResolve(_:)``.
    ///
    /// - Throws: ``ResolutionError`` with the code ``ResolutionError/Code/missing``.
    public func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let instance = tryResolve(type) else { throw ResolutionFailure.missing(type).error }
        return instance
    }

    /// Gives an object of `type` by ``tryResolve(_:)``.
    public func resolve<T>(_ type: T.Type) -> T {
        guard let instance = tryResolve(type) else {
            ResolutionFailure.missing(type).stop()
        }
        return instance
    }

    /// Gives what ``tryResolve(_:)`` gives: at most one object.
    public func resolveAll<T>(_ type: T.Type) -> [T] {
        tryResolve(type).map { [$0] } ?? []
    }
}
