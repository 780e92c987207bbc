// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// The state of a relay session: waiting lanes, leases, and pending settlements.
///
/// It is a pure value: it makes decisions, and ``RelaySession`` carries them out.
struct RelayState {
    /// Whether the session is closing, so that no further handler begins.
    var isClosing = false

    /// The error that ends the session.
    var failure: StoreError?

    /// Whether all workers have ended, so that the next settlements are the last.
    var isSettlingLast = false

    /// A lease that the relay holds.
    private struct Hold {
        let token: Int64

        /// The end of the lease, unless it is renewed.
        var end: ContinuousClock.Instant

        /// Whether the store has refused the lease; the entry stays until its worker notices.
        var isLost = false

        /// Whether the store has not renewed the lease, so that it has certainly ended.
        var hasEnded = false

        /// Whether a handler runs whose commit ends the lease; then the store may refuse the lease because it has
        /// ended.
        var mayEnd = false

        /// Whether the store has refused the lease while ``mayEnd`` was `true`.
        var isDoubtful = false
    }

    /// The subscriptions that were paused at the last request for leases; no further handler of them begins.
    private var paused: Set<String> = []

    private var lanes: WaitingLanes

    /// The leases that the relay holds, by lane.
    private var held: [Int64: Hold] = [:]

    /// Number of batches that workers handle.
    private var runningCount = 0

    /// Settlements that wait to be stored, by lane.
    private var waiting: [Int64: Settlement] = [:]

    /// Settlements that are being stored, by lane.
    private var inFlight: [Int64: Settlement] = [:]

    /// Number of lanes that the relay holds.
    var heldCount: Int { held.count }

    /// The leases that the relay holds and that are valid as far as it knows, in the order of their lanes.
    var leases: [Lease] {
        held.filter { !$0.value.isLost }.sorted { $0.key < $1.key }.map { Lease(lane: $0.key, token: $0.value.token) }
    }

    /// Creates the state of a new session.
    ///
    /// `limits` are the numbers of handlers that may run at the same time, by subscription.
    init(limits: [String: Int] = [:]) {
        lanes = WaitingLanes(limits: limits)
    }

    /// Notes which of `subscriptions` are paused; removes and returns their lanes that no worker has begun.
    mutating func note(paused now: Set<String>, of subscriptions: [String]) -> [[Delivery]] {
        if now.isEmpty && paused.isEmpty { return [] }
        paused.subtract(subscriptions)
        paused.formUnion(now)
        return now.isEmpty ? [] : lanes.removeAll { now.contains($0) }
    }

    /// Whether a handler of `subscription` may begin.
    func mayBegin(_ subscription: String) -> Bool { !isClosing && !paused.contains(subscription) }

    /// Whether the relay holds nothing and handles nothing.
    var isIdle: Bool { held.isEmpty && runningCount == 0 && waiting.isEmpty && inFlight.isEmpty }

    // MARK: Lanes

    /// Adds leased lanes, which are handled in that order; their leases last until `end`.
    mutating func enqueue(_ batches: [[Delivery]], until end: ContinuousClock.Instant) {
        for batch in batches {
            guard let first = batch.first else { continue }
            // A lost lease and its settlement may still be here. Both are obsolete now.
            waiting[first.lease.lane] = nil
            held[first.lease.lane] = Hold(token: first.lease.token, end: end)
            lanes.append(batch)
        }
    }

    /// Returns the next lane to handle; call ``end(_:)`` after it was handled.
    mutating func nextBatch() -> [Delivery]? {
        let batch = lanes.next()
        if batch != nil { runningCount += 1 }
        return batch
    }

    /// Notes that `batch` was handled, or that its lease has ended.
    mutating func end(_ batch: [Delivery]) {
        runningCount -= 1
        lanes.end(batch)
    }

    /// Removes and returns all lanes that no worker has begun.
    mutating func takeQueue() -> [[Delivery]] {
        lanes.removeAll()
    }

    /// Returns the number of lanes that can be leased for a subscription with a limit, at most `room`.
    ///
    /// The relay leases twice as many lanes as may run, so that the next lanes are here when a handler ends.
    func room(for subscription: String, limit: Int, in room: Int) -> Int {
        max(0, min(room, 2 * max(1, limit) - lanes.count(of: subscription)))
    }

    // MARK: Leases

    /// Whether `lease` was lost, or was followed by another lease of its lane.
    func isLost(_ lease: Lease) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return true }
        return hold.isLost
    }

    /// Whether `lease` is certainly valid at `now`: not lost, and not past its end.
    func isValid(_ lease: Lease, at now: ContinuousClock.Instant) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return false }
        return !hold.isLost && now < hold.end
    }

    /// Notes the renewal of `leases` until `end`.
    mutating func extend(_ leases: some Sequence<Lease>, until end: ContinuousClock.Instant) {
        for lease in leases where held[lease.lane]?.token == lease.token { held[lease.lane]?.end = end }
    }

    /// Marks `lease` as lost and drops its settlement; returns whether it was not marked before.
    ///
    /// The worker of the lane gives the lease back when it stops, unless it has already ended the lease.
    @discardableResult
    mutating func markLost(_ lease: Lease) -> Bool {
        if isLost(lease) { return false }
        held[lease.lane]?.isLost = true
        if let end = waiting.removeValue(forKey: lease.lane)?.end { giveBack(lease, now: end.now) }
        return true
    }

    /// Notes that the store has not renewed `lease`; returns whether the loss is certain and new.
    mutating func refuseRenewal(of lease: Lease) -> Bool {
        // A settlement that is being stored may have ended the lease: its outcome will show.
        if inFlight[lease.lane]?.lease == lease, inFlight[lease.lane]?.end != nil { return false }
        if held[lease.lane]?.token == lease.token { held[lease.lane]?.hasEnded = true }
        return refuse(lease)
    }

    /// Notes that the store has refused `lease`; returns whether the loss is certain and new.
    private mutating func refuse(_ lease: Lease) -> Bool {
        if isLost(lease) || held[lease.lane]?.mayEnd != true { return markLost(lease) }
        // The commit of the handler may have ended the lease: its outcome will show.
        held[lease.lane]?.isDoubtful = true
        return false
    }

    /// Forgets `lease`, which the store has refused, and lets the store end it unless it has certainly ended.
    ///
    /// The lease may still be valid: the store refuses settlements of later deliveries, too, if a crash of its server has brought
    /// back earlier deliveries. It ends only now, because no handler of the lane runs any longer. So no other relay begins the lane
    /// again while this relay handles later deliveries.
    mutating func giveBack(_ lease: Lease, now: Date) {
        guard let hold = held[lease.lane], hold.token == lease.token else { return }
        held[lease.lane] = nil
        if hold.hasEnded { return }
        waiting[lease.lane] = Settlement(lease: lease, end: .finished(now: now))
    }

    /// Forgets `lease`.
    private mutating func forget(_ lease: Lease) {
        if held[lease.lane]?.token == lease.token { held[lease.lane] = nil }
    }

    // MARK: Handling

    /// Returns the settlement for the commit of a handler: `settlement` and all earlier settlements of the lane.
    ///
    /// Waiting settlements stay until ``endHandling(_:isSettled:)``, because the commit may fail.
    mutating func beginHandling(_ settlement: Settlement) -> Settlement {
        held[settlement.lease.lane]?.mayEnd = settlement.end != nil
        return pending(settlement.lease)?.followed(by: settlement) ?? settlement
    }

    /// Notes that a handler has ended, and whether its commit has stored the settlement from ``beginHandling(_:)``.
    ///
    /// - Returns: Whether `lease` is certainly lost, and the loss is new.
    mutating func endHandling(_ lease: Lease, isSettled: Bool) -> Bool {
        guard let hold = held[lease.lane], hold.token == lease.token else { return false }
        if isSettled {
            waiting[lease.lane] = nil
            // The commit has ended the lease. A refusal from now on is not a loss.
            if hold.mayEnd { held[lease.lane] = nil }
        }
        held[lease.lane]?.mayEnd = false
        held[lease.lane]?.isDoubtful = false
        return hold.isDoubtful && !isSettled && markLost(lease)
    }

    // MARK: Settlements

    /// The settlement of `lease` that may not be stored yet.
    func pending(_ lease: Lease) -> Settlement? {
        let first = inFlight[lease.lane].flatMap { $0.lease == lease ? $0 : nil }
        guard let second = waiting[lease.lane], second.lease == lease else { return first }
        return first?.followed(by: second) ?? second
    }

    /// Adds a settlement, unless its lease is lost; a lost lease is given back when its handling ends.
    mutating func add(_ settlement: Settlement) {
        let lane = settlement.lease.lane
        guard let hold = held[lane], hold.token == settlement.lease.token else { return }
        if !hold.isLost {
            waiting[lane] = waiting[lane]?.followed(by: settlement) ?? settlement
        } else if let end = settlement.end {
            giveBack(settlement.lease, now: end.now)
        }
    }

    /// Returns all waiting settlements in the order of their lanes; they are in flight until ``endSettling(refused:)`` or ``putBack()``.
    mutating func takeSettlements() -> [Settlement] {
        swap(&inFlight, &waiting)
        waiting.removeAll(keepingCapacity: true)
        return inFlight.values.sorted { $0.lease.lane < $1.lease.lane }
    }

    /// Notes that the settlements in flight are stored, except those under the leases in `refused`.
    ///
    /// - Returns: The leases whose loss is certain and new.
    mutating func endSettling(refused: [Lease]) -> [Lease] {
        let ended = inFlight.values.compactMap { settlement in settlement.end.map { (settlement.lease, $0.now) } }
        inFlight.removeAll(keepingCapacity: true)
        let lost = refused.filter { refuse($0) }
        let all = Set(refused)
        for (lease, now) in ended { if all.contains(lease) { giveBack(lease, now: now) } else { forget(lease) } }
        return lost
    }

    /// Returns the settlements in flight, which could not be stored, to the front of the waiting settlements.
    mutating func putBack() {
        let earlier = inFlight
        inFlight.removeAll(keepingCapacity: true)
        for (lane, settlement) in earlier {
            let later = waiting.removeValue(forKey: lane)
            putBack(settlement)
            if let later { putBack(later) }
        }
    }

    private mutating func putBack(_ settlement: Settlement) {
        // The relay no longer holds a lease that it gives back.
        let lane = settlement.lease.lane
        if settlement.givesBack, held[lane] == nil { waiting[lane] = settlement } else { add(settlement) }
    }
}

extension Settlement.End {
    /// The time of the relay's clock when the lease ended.
    fileprivate var now: Date {
        switch self {
        case .finished(let now), .released(let now), .unknown(_, _, _, _, let now): now
        case .retry(let date, let now): now ?? date
        }
    }
}

extension Settlement {
    /// Whether it only ends a lease that the store has refused before; all others name their first position.
    fileprivate var givesBack: Bool { firstPosition == nil }

    fileprivate func followed(by later: Settlement) -> Settlement {
        let removes = !later.acknowledged.isEmpty || !later.failures.isEmpty
        return Settlement(
            lease: lease,
            firstPosition: firstPosition,
            acknowledged: acknowledged + later.acknowledged,
            failures: failures + later.failures,
            attempts: later.attempts ?? (removes ? nil : attempts),
            end: later.end ?? end,
            reason: later.end == nil ? reason : later.reason
        )
    }
}
