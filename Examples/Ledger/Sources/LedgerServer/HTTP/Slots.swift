//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A number of places, each taken by one at a time.
final class Slots: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// How many are taken.
    var takenCount: Int { taken.withLock { $0 } }

    /// Takes a place, or throws `refusal` where there is none.
    func take(orThrow refusal: APIError) throws -> Slot {
        let isFree = taken.withLock { taken in
            if taken >= limit { return false }
            taken += 1
            return true
        }
        if !isFree { throw refusal }
        return Slot { [self] in taken.withLock { $0 -= 1 } }
    }
}

/// A place that is taken until nobody holds this any more.
final class Slot: Sendable {
    private let leave: @Sendable () -> Void

    init(leave: @escaping @Sendable () -> Void) {
        self.leave = leave
    }

    deinit {
        leave()
    }
}
