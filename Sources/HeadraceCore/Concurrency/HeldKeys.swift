// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keys of a ``KeyedLock`` that a caller holds, until ``release()`` or until the object is deallocated.
package final class HeldKeys<Key: Hashable & Sendable>: Sendable {
    private let lock: KeyedLock<Key>

    /// The keys that are still held.
    private let keys: Mutex<[Key]>

    init(_ keys: [Key], of lock: KeyedLock<Key>) {
        self.lock = lock
        self.keys = Mutex(keys)
    }

    /// Whether the keys have been released.
    package var isReleased: Bool { keys.withLock(\.isEmpty) }

    deinit {
        release()
    }

    /// Releases the keys.
    ///
    /// Later calls have no effect.
    package func release() {
        let released = keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
        for key in released { lock.release(key) }
    }
}
