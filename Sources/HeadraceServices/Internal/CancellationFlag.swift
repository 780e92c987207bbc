//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Raised when a task is cancelled: to read it takes a fraction of what asking the task does.
@usableFromInline
final class CancellationFlag: Sendable {
    private let isUp = Atomic(false)

    @usableFromInline
    init() {}

    @usableFromInline var isRaised: Bool { isUp.load(ordering: .acquiring) }

    @usableFromInline
    func raise() {
        isUp.store(true, ordering: .releasing)
    }
}
