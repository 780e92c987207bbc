//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A reference to a ``SharedInstance`` that is set once, by whoever comes first, and read without a lock.
///
/// It is `AtomicLazyReference` for one class: that one is generic and its code stays in its library, which
/// makes each load some 300 instructions (Swift 6.3, Linux); this is one.
///
/// Why it is safe: the pointer goes from `nil` to an object that it owns, once, and is given back by `deinit`,
/// which nothing outlives. So whoever loads a pointer finds its object alive, and takes a reference of his own.
@safe
struct InstanceReference: ~Copyable, Sendable {
    private let pointer = unsafe Atomic<Unmanaged<SharedInstance>?>(nil)

    deinit {
        unsafe pointer.load(ordering: .acquiring)?.release()
    }

    /// The instance, or `nil` while none is set.
    func load() -> SharedInstance? {
        unsafe pointer.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// The instance without a reference of its own, for a caller who keeps this meanwhile.
    func unretained() -> Unmanaged<SharedInstance>? {
        unsafe pointer.load(ordering: .acquiring)
    }

    /// Sets `instance` where none is set, and gives the one that is.
    func storeIfNil(_ instance: SharedInstance) -> SharedInstance {
        let desired = unsafe Unmanaged.passRetained(instance)
        let (exchanged, original) = unsafe pointer.compareExchange(
            expected: nil,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        guard !exchanged, let winner = unsafe original else { return instance }
        unsafe desired.release()
        return unsafe winner.takeUnretainedValue()
    }
}
