//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Remembers the last container in which a type was proved, so that objects of the type are made without another proof.
///
/// The structure of a container never changes, so a proof holds as long as the container exists. A container is known by
/// its number and not by its address, because an address is used again.
package struct ProofMemory: ~Copyable, Sendable {
    /// The number of the container; 0 if nothing was proved.
    private let container = Atomic<UInt>(0)

    package init() {}

    /// Throws if an object of `type` can't be made in `scope`, because a stated dependency is missing.
    ///
    /// A scope of another kind than those of a ``Container`` proves nothing, and so refuses nothing.
    ///
    /// - Complexity: O(1) after the first time in a container.
    /// - Throws: ``ResolutionError``.
    package func check<Made: Resolvable>(
        _ type: Made.Type,
        in scope: any DependencyResolutionScope
    ) throws(ResolutionError) {
        let number = containerNumber(of: scope)
        if !holds(in: number) { try prove(type, in: scope, number) }
    }

    /// Whether the type was proved in the container with this number.
    package func holds(in number: UInt) -> Bool {
        number != 0 && container.load(ordering: .relaxed) == number
    }

    /// Remembers that the type was proved in the container with this number.
    package func remember(_ number: UInt) {
        container.store(number, ordering: .relaxed)
    }

    @inline(never)
    private func prove<Made: Resolvable>(
        _ type: Made.Type,
        in scope: any DependencyResolutionScope,
        _ number: UInt
    ) throws(ResolutionError) {
        guard scope is any ProvingResolver else { return }
        if try scope.check(type), number != 0 { remember(number) }
    }
}

/// Returns the number of the container that `scope` belongs to; 0 for a scope of another kind.
private func containerNumber(of scope: any DependencyResolutionScope) -> UInt {
    // Compared by hand, because a conditional cast takes longer.
    let type = ObjectIdentifier(type(of: scope))
    if type == ObjectIdentifier(ResolutionScope.self) {
        return unsafe unsafeDowncast(scope, to: ResolutionScope.self).containerNumber
    }
    if type == ObjectIdentifier(BorrowedScope.self) {
        return unsafe unsafeDowncast(scope, to: BorrowedScope.self).containerNumber
    }
    return 0
}

extension DependencyResolver {
    /// The number of the container that the resolver belongs to; 0 for a resolver of another kind.
    package var containerNumber: UInt {
        switch self {
        case let scope as ResolutionScope: scope.containerNumber
        case let scope as BorrowedScope: scope.containerNumber
        case let container as Container: container.containerNumber
        default: 0
        }
    }
}
