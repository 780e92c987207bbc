//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStorage

/// What a relay holds: lanes that wait to be handled, leases, and settlements on their way.
///
/// Pure: it decides, ``RelaySession`` does it.
struct RelayState {
    /// How many other lanes may begin before a suspect that waits.
    static let patience = 256

    /// Whether nothing further is begun.
    var isClosing = false

    /// The error for which the run ends.
    var failure: StoreError?

    /// Whether all workers have ended, and what there is to settle is the last.
    var isSettlingLast = false

    /// A lease that the relay holds.
    private struct Hold {
        let token: Int64

        /// When it ends at the latest, unless it is renewed.
        var end: ContinuousClock.Instant

        /// Whether the store has refused the lease; the entry stays until its worker notices.
        var isLost = false

        /// Whether a handler runs whose commit ends the lease: then the store may refuse the lease because it has ended.
        var mayEnd = false

        /// Whether the store has refused the lease while ``mayEnd`` held.
        var isDoubtful = false
    }

    private var queue: [[Delivery]] = []
    private var queueStart = 0

    /// Deliveries that may have ended a process, those with the fewest attempts first.
    private var suspects: [[Delivery]] = []

    /// The suspect that is being handled.
    private var runningSuspect: Lease?

    /// How many other lanes were begun while a suspect waited.
    private var passedSuspects = 0

    /// The leases that are held, by lane.
    private var held: [Int64: Hold] = [:]

    /// Settlements that wait to be stored, by lane.
    private var waiting: [Int64: Settlement] = [:]

    /// Settlements that are being stored, by lane.
    private var inFlight: [Int64: Settlement] = [:]

    /// How many lanes are held.
    var heldCount: Int { held.count }

    /// The leases that are held and valid as far as it is known.
    var leases: [Lease] {
        held.compactMap { lane, hold in hold.isLost ? nil : Lease(lane: lane, token: hold.token) }
    }

    // MARK: Lanes

    /// Adds leased lanes, to be handled in that order, whose leases last until `end`.
    mutating func enqueue(_ lanes: [[Delivery]], until end: ContinuousClock.Instant) {
        for batch in lanes {
            guard let first = batch.first else { continue }
            // A lease that was lost may still be here, and its settlement with it: both are history now.
            waiting[first.lease.lane] = nil
            held[first.lease.lane] = Hold(token: first.lease.token, end: end)
            if first.isSuspect {
                let index = suspects.firstIndex { $0[0].attempt > first.attempt } ?? suspects.endIndex
                suspects.insert(batch, at: index)
            } else {
                queue.append(batch)
            }
        }
    }

    /// Gives the lane to handle next; call ``end(_:)`` when it was handled.
    ///
    /// One suspect runs at a time. If it ends the process, an attempt counts for it and for no other suspect, so a delivery
    /// that only happens to be leased with one that kills doesn't use up its attempts with it. Suspects run when nothing else
    /// waits, or after ``patience`` other lanes.
    mutating func nextBatch() -> [Delivery]? {
        let isQueueEmpty = queueStart == queue.count
        if runningSuspect == nil, !suspects.isEmpty, isQueueEmpty || passedSuspects >= Self.patience {
            passedSuspects = 0
            let batch = suspects.removeFirst()
            runningSuspect = batch.first?.lease
            return batch
        }
        if isQueueEmpty { return nil }
        if !suspects.isEmpty { passedSuspects += 1 }
        defer {
            queueStart += 1
            if queueStart == queue.count {
                queue.removeAll(keepingCapacity: true)
                queueStart = 0
            }
        }
        return queue[queueStart]
    }

    /// Notes that `batch` was handled, or that its lease has ended.
    mutating func end(_ batch: [Delivery]) {
        if runningSuspect == batch.first?.lease { runningSuspect = nil }
    }

    /// Gives all lanes that nobody has begun, and keeps none.
    mutating func takeQueue() -> [[Delivery]] {
        defer {
            queue.removeAll()
            queueStart = 0
            suspects.removeAll()
        }
        return Array(queue[queueStart...]) + suspects
    }

    // MARK: Leases

    /// Whether `lease` was lost, or another one of its lane has followed.
    func isLost(_ lease: Lease) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return true }
        return hold.isLost
    }

    /// Whether `lease` is valid at `now` without a doubt: not lost, and not past its end.
    func isValid(_ lease: Lease, at now: ContinuousClock.Instant) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return false }
        return !hold.isLost && now < hold.end
    }

    /// Notes that `leases` were renewed until `end`.
    mutating func extend(_ leases: some Sequence<Lease>, until end: ContinuousClock.Instant) {
        for lease in leases where held[lease.lane]?.token == lease.token { held[lease.lane]?.end = end }
    }

    /// Marks `lease` as lost, and drops its settlement; tells whether that is news.
    @discardableResult
    mutating func markLost(_ lease: Lease) -> Bool {
        if isLost(lease) { return false }
        if waiting.removeValue(forKey: lease.lane)?.end != nil {
            held[lease.lane] = nil
        } else {
            held[lease.lane]?.isLost = true
        }
        return true
    }

    /// Notes that the store has not renewed `lease`; tells whether it is known to be lost, and that is news.
    mutating func refuseRenewal(of lease: Lease) -> Bool {
        // A settlement that is being stored may have ended the lease: its outcome tells.
        if inFlight[lease.lane]?.lease == lease, inFlight[lease.lane]?.end != nil { return false }
        return refuse(lease)
    }

    /// Notes that the store has refused `lease`; tells whether it is known to be lost, and that is news.
    private mutating func refuse(_ lease: Lease) -> Bool {
        if isLost(lease) || held[lease.lane]?.mayEnd != true { return markLost(lease) }
        // The commit of the handler may have ended it: its outcome tells.
        held[lease.lane]?.isDoubtful = true
        return false
    }

    /// Forgets `lease`.
    mutating func forget(_ lease: Lease) {
        if held[lease.lane]?.token == lease.token { held[lease.lane] = nil }
    }

    // MARK: Handling

    /// Gives the settlement that the commit of a handler stores: `settlement`, and before it all that the lane has to settle.
    ///
    /// What waits stays until ``endHandling(_:isSettled:)``, as the commit may fail.
    mutating func beginHandling(_ settlement: Settlement) -> Settlement {
        held[settlement.lease.lane]?.mayEnd = settlement.end != nil
        return pending(settlement.lease)?.followed(by: settlement) ?? settlement
    }

    /// Notes that a handler has ended, and whether its commit has stored what ``beginHandling(_:)`` gave.
    ///
    /// - Returns: Whether `lease` turns out to be lost, and that is news.
    mutating func endHandling(_ lease: Lease, isSettled: Bool) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return false }
        if isSettled {
            waiting[lease.lane] = nil
            // The commit has ended the lease. A refusal that comes from now on is not a loss.
            if hold.mayEnd { held[lease.lane] = nil }
        }
        held[lease.lane]?.mayEnd = false
        held[lease.lane]?.isDoubtful = false
        return hold.isDoubtful && !isSettled && markLost(lease)
    }

    // MARK: Settlements

    /// What `lease` has to settle that is not known to be stored.
    func pending(_ lease: Lease) -> Settlement? {
        let first = inFlight[lease.lane].flatMap { $0.lease == lease ? $0 : nil }
        guard let second = waiting[lease.lane], second.lease == lease else { return first }
        return first?.followed(by: second) ?? second
    }

    /// Adds what is to be settled; nothing under a lease that is lost, which is forgotten when it ends.
    mutating func add(_ settlement: Settlement) {
        let lane = settlement.lease.lane
        guard let hold = held[lane], hold.token == settlement.lease.token else { return }
        if !hold.isLost {
            waiting[lane] = waiting[lane]?.followed(by: settlement) ?? settlement
        } else if settlement.end != nil {
            held[lane] = nil
        }
    }

    /// Gives everything that is to be settled, until ``endSettling(refused:)`` or ``putBack()``.
    mutating func takeSettlements() -> [Settlement] {
        swap(&inFlight, &waiting)
        waiting.removeAll(keepingCapacity: true)
        return Array(inFlight.values)
    }

    /// Notes that the settlements that were taken are stored, all but those under the leases in `refused`.
    ///
    /// - Returns: The leases that are lost, if that is news.
    mutating func endSettling(refused: [Lease]) -> [Lease] {
        let ended = inFlight.values.filter { $0.end != nil }
        inFlight.removeAll(keepingCapacity: true)
        let lost = refused.filter { refuse($0) }
        for settlement in ended { forget(settlement.lease) }
        return lost
    }

    /// Keeps the settlements that were taken, and could not be stored, before those that have come up since.
    mutating func putBack() {
        let earlier = inFlight
        inFlight.removeAll(keepingCapacity: true)
        for (lane, settlement) in earlier {
            let later = waiting.removeValue(forKey: lane)
            add(settlement)
            if let later { add(later) }
        }
    }
}

extension Delivery {
    /// Whether an attempt counts that has ended without an outcome: it may have ended its process.
    fileprivate var isSuspect: Bool { mayHaveRun && attempt > 1 }
}

extension Settlement {
    fileprivate func followed(by later: Settlement) -> Settlement {
        let removes = !later.acknowledged.isEmpty || !later.failures.isEmpty
        return Settlement(
            lease: lease,
            acknowledged: acknowledged + later.acknowledged,
            failures: failures + later.failures,
            attempts: later.attempts ?? (removes ? nil : attempts),
            end: later.end ?? end
        )
    }
}
