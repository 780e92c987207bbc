// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Number of tasks that hold each key of a lock.
final class HolderCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Adds `number` to the holders of `key` and returns their number.
    func add(_ number: Int, to key: String) -> Int {
        counts.withLock { counts in
            let count = counts[key, default: 0] + number
            counts[key] = count
            return count
        }
    }
}
