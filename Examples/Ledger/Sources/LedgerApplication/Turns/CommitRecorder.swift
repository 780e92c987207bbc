//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Synchronization

/// A store that records committed changes for the caller instead of storing them.
final class CommitRecorder: StoreDecorator {
    let base: any DeliveryStore
    private let recorded = Mutex(ChangeSet())

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// The changes that were committed last.
    var changes: ChangeSet { recorded.withLock(\.self) }

    func commit(_ changes: ChangeSet) async throws {
        recorded.withLock { $0 = changes }
    }
}
