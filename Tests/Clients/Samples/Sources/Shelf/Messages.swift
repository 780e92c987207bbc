// SPDX-License-Identifier: Apache-2.0

import Headrace
import Synchronization

package struct LendBook: CQDCommand {
    package var book: String
    package var reader: String
}

package struct GetReader: CQDQuery {
    package typealias Value = String
    package var book: String
}

package struct ClearScreen: CQDCommand {}

package struct GetScreen: CQDQuery {
    package typealias Value = [String]
}

/// The readers who may borrow.
package final class Members: Sendable {
    private let lookups = Mutex<[Bool]>([])

    /// Whether each lookup was on the main actor.
    var lookupsOnMainActor: [Bool] { lookups.withLock { $0 } }

    package func contains(_ name: String, isolation: (any Actor)? = #isolation) -> Bool {
        let isOnMainActor = isolation === MainActor.shared
        lookups.withLock { $0.append(isOnMainActor) }
        return !name.isEmpty
    }
}

/// A view's model, for the main actor only.
@MainActor
package final class Screen {
    package private(set) var lines = ["Welcome"]

    nonisolated init() {}

    package func show(_ line: String) {
        lines.append(line)
    }

    package func clear() {
        lines = []
    }
}
