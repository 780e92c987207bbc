// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Texts in the order in which they were appended.
final class Journal: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }

    func append(_ line: String) {
        entries.withLock { $0.append(line) }
    }

    func clear() {
        entries.withLock { $0 = [] }
    }
}
