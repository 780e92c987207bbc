// SPDX-License-Identifier: Apache-2.0

/// The scope that the factory of a shared object receives.
///
/// It doesn't keep the container alive.
///
/// A singleton may keep the scope that created it, or a dispatcher that was created in that scope. If that were the scope
/// itself, the container would keep the singleton and the singleton the container: a reference cycle.
final class BorrowedScope: DependencyResolutionScope, Noted, ProvingResolver {
    private weak let lender: ResolutionScope?

    let containerNumber: UInt

    var notes: [any RegistrationNote] { lender?.notes ?? [] }

    init(_ scope: ResolutionScope) {
        lender = scope
        containerNumber = scope.containerNumber
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        lender?.tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        lenderOrStop.resolve(type, given: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        lenderOrStop.resolveAll(type, given: self)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let lender else { throw ResolutionFailure.released.error }
        return try lender.require(type, given: self)
    }

    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ProofSubject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        guard let lender else { throw ResolutionFailure.released.error }
        return try lender.check(dependencies(), of: subject, named: name())
    }

    func scope() -> any DependencyResolutionScope {
        lenderOrStop.scope()
    }

    private var lenderOrStop: ResolutionScope {
        guard let lender else { ResolutionFailure.released.stop() }
        return lender
    }
}
