// SPDX-License-Identifier: Apache-2.0

extension DependencyResolver {
    /// Returns an object of the type that the context asks for: `let clock: any Clock = resolver.resolve()`.
    ///
    /// - Precondition: As for ``resolve(_:)``.
    @inlinable
    public func resolve<T>() -> T {
        resolve(T.self)
    }

    /// Returns an object of the type that the context asks for, or `nil` if nothing is registered for it.
    @inlinable
    public func tryResolve<T>() -> T? {
        tryResolve(T.self)
    }

    /// Returns an object of the type that the context asks for, or throws the reason why it can't be resolved.
    ///
    /// - Throws: As ``require(_:)``.
    @inlinable
    public func require<T>() throws(ResolutionError) -> T {
        try require(T.self)
    }

    /// Returns an object of `type` from ``tryResolve(_:)``.
    ///
    /// - Throws: ``ResolutionError`` with the code `ResolutionError.Code.missing`.
    public func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let instance = tryResolve(type) else {
            throw ResolutionFailure.missing(type, neededBy: ResolutionPath.names).error
        }
        return instance
    }

    /// Returns an object of `type` from ``tryResolve(_:)``.
    public func resolve<T>(_ type: T.Type) -> T {
        guard let instance = tryResolve(type) else {
            ResolutionFailure.missing(type, neededBy: ResolutionPath.names).stop()
        }
        return instance
    }

    /// Returns the object from ``tryResolve(_:)``, so at most one.
    public func resolveAll<T>(_ type: T.Type) -> [T] {
        tryResolve(type).map { [$0] } ?? []
    }
}
