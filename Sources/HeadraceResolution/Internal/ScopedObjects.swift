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
        var link = first.load()
        while let current = link {
            if current.index == index { return current }
            link = current.next.load()
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
