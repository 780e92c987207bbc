// SPDX-License-Identifier: Apache-2.0

/// A permit of a semaphore (``Permits``), held until the object is deallocated.
///
/// The compiler may deallocate an object after its last use. To hold the permit for a whole scope, use
/// ``Permits/withPermit(_:)`` or `withExtendedLifetime(_:_:)`.
package final class Permit: Sendable {
    private let permits: Permits

    init(of permits: Permits) {
        self.permits = permits
    }

    deinit {
        permits.release()
    }
}
