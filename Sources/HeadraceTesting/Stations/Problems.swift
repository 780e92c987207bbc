//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// What has failed under one schedule.
final class Problems: Sendable {
    private let found = Mutex<[String]>([])

    var messages: [String] { found.withLock { $0 } }

    func add(_ message: String) {
        found.withLock { $0.append(message) }
    }
}
