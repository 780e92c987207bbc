//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The scope as an object sees it which that scope keeps: one that does not keep the scope in turn.
///
/// A singleton may hold on to the scope that made it, or to a dispatcher made in it. Were that the scope itself,
/// the container would keep the singleton, the singleton the container, and neither would ever end.
final class BorrowedScope: DependencyResolutionScope, ProvingResolver {
    private weak let lender: ResolutionScope?

    /// The number of the container.
    let containerNumber: UInt

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
        of subject: ResolutionProof.Subject,
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
