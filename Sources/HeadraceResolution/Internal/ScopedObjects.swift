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
    private let first = AtomicLazyReference<Cell>()

    /// The object at `index`, or `nil` while it has not been made.
    ///
    /// `Instance` is the type under which it was inserted; the index of a binding is inserted by that
    /// binding alone, so the downcast needs no check.
    func find<Instance: AnyObject & Sendable>(_ index: Int, as type: Instance.Type) -> Instance? {
        var cell = first.load()
        while let current = cell {
            if current.index == index {
                return unsafe unsafeDowncast(current.instance, to: Instance.self)
            }
            cell = current.next.load()
        }
        return nil
    }

    /// Keeps `instance` at `index`, which nothing occupies yet.
    func insert(_ instance: some AnyObject & Sendable, at index: Int) {
        let cell = Cell(index: index, instance: instance)
        var last = first.storeIfNil(cell)
        while last !== cell {
            last = last.next.storeIfNil(cell)
        }
    }

    private final class Cell: Sendable {
        let index: Int
        let instance: any AnyObject & Sendable
        let next = AtomicLazyReference<Cell>()

        init(index: Int, instance: any AnyObject & Sendable) {
            self.index = index
            self.instance = instance
        }
    }
}
