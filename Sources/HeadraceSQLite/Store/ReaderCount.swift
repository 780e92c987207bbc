// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Synchronization

/// The number of connections that reads use, so that a read knows whether one is free.
final class ReaderCount: Sendable {
    private let count = Atomic(0)
    private let limit: Int

    /// - Parameter limit: Number of connections.
    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a read that begins, and returns whether a connection is free for it.
    ///
    /// Each read must call ``end()`` once.
    func begin() -> Bool {
        count.add(1, ordering: .acquiringAndReleasing).newValue <= limit
    }

    /// Counts a read that has released its connection.
    func end() {
        count.subtract(1, ordering: .acquiringAndReleasing)
    }
}
#endif
