//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The objects that were made in one scope: a list that only grows, read without a lock.
///
/// Empty it is one word. A look-up is O(n) in the objects made so far in this scope, which are few:
/// a scope holds what one request or one window shares.
struct ScopedObjects: ~Copyable, Sendable {
    private let first = InstanceReference()

    /// The object at `index`, or `nil` while it has not been made.
    func find(_ index: Int) -> SharedInstance? {
        unsafe unretained(index)?.takeUnretainedValue()
    }

    /// The object at `index` without a reference of its own, for a caller who keeps the scope meanwhile.
    func unretained(_ index: Int) -> Unmanaged<SharedInstance>? {
        var link = unsafe first.unretained()
        while let current = unsafe link {
            if unsafe current._withUnsafeGuaranteedRef({ $0.index == index }) { return unsafe current }
            unsafe link = current._withUnsafeGuaranteedRef { unsafe $0.next.unretained() }
        }
        return nil
    }

    /// Keeps `instance` at its index, which nothing occupies yet.
    func insert(_ instance: SharedInstance) {
        var last = first.storeIfNil(instance)
        while last !== instance {
            last = last.next.storeIfNil(instance)
        }
    }
}
