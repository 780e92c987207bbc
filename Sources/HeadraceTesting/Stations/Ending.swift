//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Whether a test has begun with its station, and whether it has ended.
final class Ending: Sendable {
    private let state = Mutex((hasBegun: false, hasEnded: false))

    /// Whether it has begun and not ended.
    var isOpen: Bool { state.withLock { $0.hasBegun && !$0.hasEnded } }

    /// Notes that it has begun; tells whether it had not.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    func close() {
        state.withLock { $0.hasEnded = true }
    }
}
