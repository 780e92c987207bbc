//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a relay holds: lanes that wait to be handled, leases, and settlements on their way.
///
/// Pure: it decides, ``RelayRun`` does it.
struct RelayState {
    /// Whether nothing further is begun.
    var isClosing = false

    /// Whether all workers have ended, and what there is to settle is the last.
    var isSettlingLast = false

    private var queue: [[Delivery]] = []
    private var queueStart = 0

    /// The tokens of the leases that are held, by lane; those that were lost are marked until their worker notices.
    private var held: [Int64: (token: Int64, isLost: Bool)] = [:]

    private var settlements: [Int64: Settlement] = [:]

    /// How many lanes are held.
    var heldCount: Int { held.count }

    /// The leases that are held and valid as far as it is known.
    var leases: [Lease] {
        held.compactMap { lane, lease in lease.isLost ? nil : Lease(lane: lane, token: lease.token) }
    }

    /// Adds leased lanes, to be handled in that order.
    mutating func enqueue(_ lanes: [[Delivery]]) {
        for run in lanes {
            guard let lease = run.first?.lease else { continue }
            // A lease that was lost may still be here, and its settlement with it: both are history now.
            settlements[lease.lane] = nil
            held[lease.lane] = (lease.token, false)
            queue.append(run)
        }
    }

    /// Gives the lane to handle next.
    mutating func nextRun() -> [Delivery]? {
        guard queueStart < queue.count else { return nil }
        defer {
            queueStart += 1
            if queueStart == queue.count {
                queue.removeAll(keepingCapacity: true)
                queueStart = 0
            }
        }
        return queue[queueStart]
    }

    /// Gives all lanes that nobody has begun, and keeps none.
    mutating func takeQueue() -> [[Delivery]] {
        defer {
            queue.removeAll()
            queueStart = 0
        }
        return Array(queue[queueStart...])
    }

    /// Whether `lease` was lost, or another one of its lane has followed.
    func isLost(_ lease: Lease) -> Bool {
        guard let known = held[lease.lane], known.token == lease.token else { return true }
        return known.isLost
    }

    /// Marks `lease` as lost; tells whether that is news.
    @discardableResult
    mutating func lose(_ lease: Lease) -> Bool {
        if isLost(lease) { return false }
        held[lease.lane]?.isLost = true
        return true
    }

    /// Forgets `lease`.
    mutating func release(_ lease: Lease) {
        if held[lease.lane]?.token == lease.token { held[lease.lane] = nil }
    }

    /// Adds what is to be settled.
    mutating func add(_ settlement: Settlement) {
        guard held[settlement.lease.lane]?.token == settlement.lease.token else { return }
        settlements[settlement.lease.lane] = settlements[settlement.lease.lane]?.followed(by: settlement) ?? settlement
    }

    /// Gives everything that is to be settled, and keeps nothing.
    mutating func takeSettlements() -> [Settlement] {
        defer { settlements.removeAll(keepingCapacity: true) }
        return Array(settlements.values)
    }

    /// Keeps `settlements`, which could not be stored, before those that have come up since.
    mutating func putBack(_ earlier: [Settlement]) {
        for settlement in earlier where held[settlement.lease.lane]?.token == settlement.lease.token {
            let later = settlements[settlement.lease.lane]
            settlements[settlement.lease.lane] = later.map { settlement.followed(by: $0) } ?? settlement
        }
    }
}

extension Settlement {
    fileprivate func followed(by later: Settlement) -> Settlement {
        Settlement(
            lease: lease,
            acknowledged: acknowledged + later.acknowledged,
            failures: failures + later.failures,
            end: later.end ?? end
        )
    }
}
