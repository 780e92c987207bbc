// SPDX-License-Identifier: Apache-2.0

/// The objects of one scope: a linked list that only grows, read without a lock.
///
/// An empty list takes one word. A look-up is O(n) in the objects that the scope has created so far. These are few,
/// because a scope holds the shared objects of one request or one window.
///
/// Why this is safe: objects are never removed, so a pointer into the list is valid as long as the list exists.
struct ScopedObjects: ~Copyable, Sendable {
    private let first = InstanceReference()

    /// The object at `index`, or `nil` if it hasn't been created.
    func find(_ index: Int) -> SharedInstance? {
        unsafe unretained(index)?.takeUnretainedValue()
    }

    /// The object at `index` without a retain, for a caller that keeps the scope meanwhile.
    func unretained(_ index: Int) -> Unmanaged<SharedInstance>? {
        var link = unsafe first.unretained()
        while let current = unsafe link {
            if unsafe current._withUnsafeGuaranteedRef({ $0.index == index }) { return unsafe current }
            unsafe link = current._withUnsafeGuaranteedRef { unsafe $0.next.unretained() }
        }
        return nil
    }

    /// Adds `instance`.
    ///
    /// The list must not have its index.
    func insert(_ instance: SharedInstance) {
        var last = first.storeIfNil(instance)
        while last !== instance {
            last = last.next.storeIfNil(instance)
        }
    }
}
