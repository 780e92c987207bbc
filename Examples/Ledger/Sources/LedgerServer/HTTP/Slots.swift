//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A number of places, each taken by one at a time.
final class Slots: Sendable {
    /// How many places are taken after one was left, the latest number only; for one reader.
    let departures: AsyncStream<Int>

    private let limit: Int
    private let taken = Mutex(0)
    private let departure: AsyncStream<Int>.Continuation

    init(_ limit: Int) {
        self.limit = limit
        (departures, departure) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many are taken.
    var takenCount: Int { taken.withLock { $0 } }

    /// Takes a place, or throws `refusal` if none is free.
    func take(orThrow refusal: APIError) throws -> Slot {
        let isFree = taken.withLock { taken in
            if taken >= limit { return false }
            taken += 1
            return true
        }
        if !isFree { throw refusal }
        return Slot { [self] in leave() }
    }

    private func leave() {
        let count = taken.withLock { taken in
            taken -= 1
            return taken
        }
        departure.yield(count)
    }
}

/// A place that is taken until this is deallocated.
final class Slot: Sendable {
    private let leave: @Sendable () -> Void

    init(leave: @escaping @Sendable () -> Void) {
        self.leave = leave
    }

    deinit {
        leave()
    }
}
