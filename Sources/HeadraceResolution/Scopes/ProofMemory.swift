// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The last container in which a type was checked, so that objects of the type are created without another check.
///
/// The structure of a container never changes, so the result holds as long as the container exists. The memory stores the
/// number of the container and not its address, because an address is used again.
package struct ProofMemory: ~Copyable, Sendable {
    /// The number of the container; 0 if nothing was checked.
    private let container = Atomic<UInt>(0)

    package init() {}

    /// Throws if an object of `type` can't be created in `scope` because a stated dependency is missing.
    ///
    /// A scope that doesn't belong to a ``Container`` can't be checked, so it never throws.
    ///
    /// - Complexity: O(1) after the first time in a container.
    /// - Throws: ``ResolutionError``.
    package func check<Made: Resolvable>(
        _ type: Made.Type,
        in scope: any DependencyResolutionScope
    ) throws(ResolutionError) {
        // A cast to a final class takes less time than the cast to a protocol in `containerNumber`.
        let number = (scope as? ResolutionScope)?.containerNumber ?? (scope as? BorrowedScope)?.containerNumber ?? 0
        if !holds(in: number) { try prove(type, in: scope, number) }
    }

    /// Whether the type was checked in the container with this number.
    package func holds(in number: UInt) -> Bool {
        number != 0 && container.load(ordering: .relaxed) == number
    }

    /// Records that the type was checked in the container with this number.
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
