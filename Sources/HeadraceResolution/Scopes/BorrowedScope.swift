// SPDX-License-Identifier: Apache-2.0

/// The scope that the factory of a shared object receives.
///
/// It doesn't keep the container alive.
///
/// A singleton may keep the scope that created it, or a dispatcher that was created in that scope. If that were the scope
/// itself, the container would keep the singleton and the singleton the container: a reference cycle.
final class BorrowedScope: DependencyResolutionScope, ProvingResolver {
    weak let base: ResolutionScope?

    let containerNumber: UInt

    init(_ scope: ResolutionScope) {
        base = scope
        containerNumber = scope.containerNumber
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        base?.tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        baseOrStop.resolve(type, given: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        baseOrStop.resolveAll(type, given: self)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let base else { throw ResolutionFailure.released.error }
        return try base.require(type, given: self)
    }

    func scope() -> any DependencyResolutionScope {
        baseOrStop.scope()
    }

    private var baseOrStop: ResolutionScope {
        guard let base else { ResolutionFailure.released.stop() }
        return base
    }
}
