// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The deliveries of an ``InMemoryStore``, with the same content and rules as the tables of the SQLite store.
struct InMemoryDeliveries {
    struct Entry {
        let position: Int64
        let isReplay: Bool
    }

    struct Lane {
        let subscription: BytewiseString
        let stream: EntityReference?

        /// Milliseconds since 1970; 0 if the lane has never been leased.
        var readyAt: Int64 = 0
        var token: Int64 = 0

        /// When ``readyAt`` was set, by the clock that set it; `nil` if it is a date that doesn't depend on a clock.
        var since: Int64?

        /// The message that a relay didn't know, if the lane waits for a relay that knows it.
        var unknown: (name: BytewiseString, version: Int)?

        /// When a relay first didn't know the first entry.
        var unknownSince: Int64?

        /// Number of attempts that count for the first entry.
        var attempts = 0

        /// The error of the last attempt at the first entry.
        var lastFailure: String?

        /// The position up to which deliveries were leased and not released.
        var begun: Int64 = 0

        /// The entries, sorted by position.
        var entries: [Entry] = []

        /// The corrected content of the only entry, if an operator has corrected it.
        var correction: Data?

        /// Sets the wait until `date`, which was requested at `now`; `nil` if that time is unknown.
        mutating func wait(until date: Date, from now: Date?) {
            readyAt = max(1, date.milliseconds)
            since = now?.milliseconds ?? since
        }
    }

    struct Letter {
        let subscription: BytewiseString
        let failure: Settlement.Failure
        let isReplay: Bool

        /// The corrected content, if an operator has corrected it.
        var correction: Data?
    }

    private struct LaneName: Hashable {
        let subscription: BytewiseString
        let stream: EntityReference
    }

    private(set) var lanes: [Int64: Lane] = [:]
    private(set) var letters: [Int64: Letter] = [:]
    private(set) var records: [BytewiseString: IdempotencyRecord] = [:]
    private(set) var subscriptions: Set<BytewiseString> = []

    /// When each paused subscription was paused, in milliseconds since 1970.
    private(set) var pauses: [BytewiseString: Int64] = [:]
    private var scheduled: [Int64: ScheduledMessage] = [:]
    private var names: [LaneName: Int64] = [:]
    private var lastLane: Int64 = 0
    private var lastScheduled: Int64 = 0
    private var lastLetter: Int64 = 0

    // MARK: Commits

    /// Throws if a lease of a settlement in `changes` is no longer valid.
    func checkLeases(of changes: ChangeSet) throws {
        for settlement in changes.settlements where !isValid(settlement.lease) || isTooLate(settlement) {
            throw StoreError.leaseLost(settlement.lease)
        }
    }

    /// Throws if a command of `changes` has already taken effect.
    func checkKeys(of changes: ChangeSet) throws {
        var keys: Set<BytewiseString> = []
        for record in changes.idempotencyRecords {
            let key = BytewiseString(record.key)
            if records[key] != nil || !keys.insert(key).inserted { throw StoreError.keyTaken(record.key) }
        }
    }

    /// Applies `changes`, which must have passed the checks; the events take positions from `firstPosition` on.
    mutating func apply(_ changes: ChangeSet, firstPosition: Int64) {
        for settlement in changes.settlements { _ = settle(settlement) }
        for record in changes.idempotencyRecords { records[BytewiseString(record.key)] = record }
        for delivery in changes.deliveries {
            append(
                Entry(position: firstPosition + Int64(delivery.event), isReplay: false),
                to: lane(of: changes.events[delivery.event].stream, for: BytewiseString(delivery.subscription))
            )
        }
        for message in changes.scheduled {
            lastScheduled += 1
            scheduled[lastScheduled] = message
            let lane = lane(of: nil, for: BytewiseString(ScheduledMessage.subscription))
            lanes[lane]?.wait(until: message.dueAt, from: message.since)
            append(Entry(position: -lastScheduled, isReplay: false), to: lane)
        }
        for id in changes.cancellations { cancel(id) }
    }

    private mutating func cancel(_ id: UUID) {
        let cancelled = Set(scheduled.filter { $0.value.id == id }.map { -$0.key })
        for position in cancelled { scheduled[-position] = nil }
        for (lane, content) in lanes where content.entries.contains(where: { cancelled.contains($0.position) }) {
            lanes[lane] = nil
        }
        letters = letters.filter { !cancelled.contains($0.value.failure.position) }
    }

    // MARK: Leases

    mutating func lease(_ request: LeaseRequest, events: (Int64) -> EventRecord?) -> LeasedDeliveries {
        let now = request.now.milliseconds
        let paused = request.subscriptions.filter { pauses[BytewiseString($0)] != nil }
        let known = request.subscriptions.filter { name in
            subscriptions.contains(BytewiseString(name)) && pauses[BytewiseString(name)] == nil
        }
        shortenWaits(of: Set(known.map(BytewiseString.init)), request)
        let share = max(1, request.laneLimit / max(1, known.count))
        var leased = LeasedDeliveries(paused: Set(paused))
        for limit in [share, request.laneLimit] {
            for subscription in known {
                let room = min(limit, request.laneLimit - leased.lanes.count)
                if room <= 0 { break }
                for id in due(BytewiseString(subscription), request, limit: room) {
                    let deliveries = lease(id, request: request, events: events)
                    if !deliveries.isEmpty { leased.lanes.append(deliveries) }
                }
            }
        }
        let asked = Set(known.map(BytewiseString.init))
        leased.nextDue = lanes.values.filter { asked.contains($0.subscription) && $0.readyAt > now }
            .map { Date(milliseconds: $0.readyAt) }.min()
        return leased
    }

    /// The due lanes: lanes that have waited, up to half of the limit, before new lanes.
    ///
    /// Lanes that have waited for a relay that knows their message come first.
    private func due(_ subscription: BytewiseString, _ request: LeaseRequest, limit: Int) -> [Int64] {
        let now = request.now.milliseconds
        let known = request.known[subscription.text] ?? []
        let left = lanes.filter { _, lane in
            guard lane.subscription == subscription, let unknown = lane.unknown else { return false }
            return known.contains { BytewiseString($0.name) == unknown.name && $0.versions.contains(unknown.version) }
        }.keys.sorted()
        let candidates = lanes.filter { id, lane in
            lane.subscription == subscription && lane.readyAt <= now && !left.contains(id)
        }
        let order = candidates.keys.sorted { (candidates[$0]?.readyAt ?? 0, $0) < (candidates[$1]?.readyAt ?? 0, $1) }
        let fresh = order.filter { candidates[$0]?.readyAt == 0 }
        let waited = left + order.filter { candidates[$0]?.readyAt != 0 }
        let first = waited.prefix((limit + 1) / 2)
        return Array((first + fresh + waited.dropFirst(first.count)).prefix(limit))
    }

    /// Restarts waits at `request.now` that were set by a clock more than the duration of a lease ahead of
    /// `request.now`.
    private mutating func shortenWaits(of subscriptions: Set<BytewiseString>, _ request: LeaseRequest) {
        let now = request.now.milliseconds
        let latest = request.now.advanced(by: request.duration).milliseconds
        for (id, lane) in lanes where subscriptions.contains(lane.subscription) && lane.readyAt > now {
            guard let since = lane.since, since > latest else { continue }
            lanes[id]?.readyAt = now + max(0, lane.readyAt - since)
            lanes[id]?.since = now
        }
    }

    private mutating func lease(
        _ id: Int64,
        request: LeaseRequest,
        events: (Int64) -> EventRecord?
    ) -> [Delivery] {
        guard var lane = lanes[id] else { return [] }
        guard let head = lane.entries.first?.position else {
            remove(id)
            return []
        }
        let mayHaveRun = lane.token > 0 && head <= lane.begun
        let run = lane.entries.prefix(mayHaveRun || lane.attempts > 0 ? 1 : max(1, request.batchLimit))
        lane.token += 1
        lane.begun = max(lane.begun, run.last?.position ?? 0)
        lane.readyAt = max(1, request.now.advanced(by: request.duration).milliseconds)
        lane.since = request.now.milliseconds
        lane.unknown = nil
        lanes[id] = lane
        return run.enumerated().map { index, entry in
            Delivery(
                lease: Lease(lane: id, token: lane.token),
                position: entry.position,
                subscription: lane.subscription.text,
                attempt: index == 0 ? lane.attempts + 1 : 1,
                mayHaveRun: mayHaveRun,
                unknownSince: index == 0 ? lane.unknownSince.map(Date.init(milliseconds:)) : nil,
                isReplay: entry.isReplay,
                content: content(at: entry.position, correction: lane.correction, events: events)
            )
        }
    }

    func content(at position: Int64, correction: Data?, events: (Int64) -> EventRecord?) -> Delivery.Content {
        let content: Delivery.Content? =
            position < 0 ? scheduled[-position].map { .scheduled($0) } : events(position).map { .event($0) }
        return (content ?? .missing).corrected(to: correction)
    }

    mutating func renew(_ lease: Lease, until date: Date) -> Bool {
        guard isValid(lease), var lane = lanes[lease.lane] else { return false }
        let readyAt = max(1, date.milliseconds)
        lane.since = lane.since.map { readyAt - (lane.readyAt - $0) }
        lane.readyAt = readyAt
        lanes[lease.lane] = lane
        return true
    }

    private func isValid(_ lease: Lease) -> Bool {
        lanes[lease.lane]?.token == lease.token
    }

    // MARK: Settlements

    /// Whether the lane has a delivery before those that the relay believes unsettled.
    private func isTooLate(_ settlement: Settlement) -> Bool {
        guard let first = settlement.firstPosition, let head = lanes[settlement.lease.lane]?.entries.first?.position
        else { return false }
        return head < first
    }

    /// Applies `settlement` if its lease is valid, and its lane has no earlier delivery.
    mutating func settle(_ settlement: Settlement) -> Bool {
        guard isValid(settlement.lease), !isTooLate(settlement), var lane = lanes[settlement.lease.lane] else {
            return false
        }
        let removed = Set(settlement.acknowledged + settlement.failures.map(\.position))
        for failure in settlement.failures {
            guard let entry = lane.entries.first(where: { $0.position == failure.position }) else { continue }
            addLetter(failure, of: entry, from: lane)
        }
        for position in settlement.acknowledged where position < 0 { scheduled[-position] = nil }
        lane.entries.removeAll { removed.contains($0.position) }

        guard let head = lane.entries.first?.position else {
            lane.attempts = 0
            lane.lastFailure = nil
            lanes[settlement.lease.lane] = lane
            if settlement.end != nil { remove(settlement.lease.lane) }
            return true
        }
        lane.attempts = settlement.attempts.map { max(0, $0) } ?? (removed.isEmpty ? lane.attempts : 0)
        if !removed.isEmpty { (lane.unknownSince, lane.lastFailure) = (nil, nil) }
        lane.lastFailure = settlement.storedReason ?? lane.lastFailure
        switch settlement.end {
        case .finished(let now):
            lane.wait(until: now, from: now)
        case .retry(let date, let now):
            lane.begun = head - 1
            lane.wait(until: date, from: now)
        case .released(let now):
            lane.begun = head - 1
            lane.wait(until: now, from: now)
        case .unknown(let name, let version, let since, let until, let now):
            lane.begun = head - 1
            lane.wait(until: until, from: now)
            lane.unknown = (BytewiseString(name), version)
            lane.unknownSince = since.milliseconds
        case nil:
            break
        }
        if settlement.end != nil { lane.token += 1 }
        lanes[settlement.lease.lane] = lane
        return true
    }

    private mutating func remove(_ id: Int64) {
        guard let lane = lanes.removeValue(forKey: id), let stream = lane.stream else { return }
        names[LaneName(subscription: lane.subscription, stream: stream)] = nil
    }

    // MARK: Lanes

    /// Returns the lane of `stream`, and creates it if there is none.
    private mutating func lane(of stream: EntityReference?, for subscription: BytewiseString) -> Int64 {
        if let stream, let known = names[LaneName(subscription: subscription, stream: stream)] { return known }
        subscriptions.insert(subscription)
        lastLane += 1
        lanes[lastLane] = Lane(subscription: subscription, stream: stream)
        if let stream { names[LaneName(subscription: subscription, stream: stream)] = lastLane }
        return lastLane
    }

    private mutating func append(_ entry: Entry, to lane: Int64) {
        let entries = lanes[lane]?.entries ?? []
        let index = entries.firstIndex { $0.position > entry.position } ?? entries.count
        lanes[lane]?.entries.insert(entry, at: index)
    }

    /// Whether a delivery or a dead letter needs the event at `position`.
    func needs(_ position: Int64) -> Bool {
        lanes.values.contains { $0.entries.contains { $0.position == position } }
            || letters.values.contains { $0.failure.position == position }
    }

    mutating func removeRecords(before date: Date, limit: Int) -> Int {
        let old = records.filter { $0.value.date < date }.sorted { ($0.value.date, $0.key) < ($1.value.date, $1.key) }
            .prefix(max(0, limit))
        for (key, _) in old { records[key] = nil }
        return old.count
    }

    // MARK: Pauses

    /// Pauses or resumes a subscription; returns whether it exists.
    mutating func setPause(of subscription: BytewiseString, since date: Date?) -> Bool {
        guard subscriptions.contains(subscription) else { return false }
        pauses[subscription] = date.map { pauses[subscription] ?? $0.milliseconds }
        return true
    }

    // MARK: Operations

    /// Makes the lane of a delivery due that waits for its next attempt; returns whether it waited.
    mutating func retry(_ id: PendingDelivery.ID, now: Int64) -> Bool {
        guard let lane = lanes[id.lane], let first = lane.entries.first, first.position == id.position,
            [.retrying, .unknown].contains(lane.state(of: first, isFirst: true, at: now))
        else { return false }
        lanes[id.lane]?.readyAt = max(1, now)
        lanes[id.lane]?.since = now
        return true
    }

    /// Moves a delivery to the dead letters; returns `false` if it is running or no longer exists.
    mutating func cancel(_ id: PendingDelivery.ID, reason: String, now: Date) -> Bool {
        guard var lane = lanes[id.lane], let index = lane.entries.firstIndex(where: { $0.position == id.position }),
            lane.state(of: lane.entries[index], isFirst: index == 0, at: now.milliseconds) != .running
        else { return false }
        let isLeased = lane.state(of: lane.entries[0], isFirst: true, at: now.milliseconds) == .running
        let entry = lane.entries.remove(at: index)
        let failure = Settlement.Failure(
            position: id.position, attempts: index == 0 ? lane.attempts : 0, reason: reason, date: now)
        addLetter(failure, of: entry, from: lane)
        // Behind a running delivery, the lease stays valid.
        if !isLeased { lane.token += 1 }
        if index == 0 {
            (lane.attempts, lane.lastFailure, lane.unknown, lane.unknownSince) = (0, nil, nil, nil)
            if lane.readyAt > now.milliseconds { lane.wait(until: now, from: now) }
        }
        lanes[id.lane] = lane
        if lane.entries.isEmpty { remove(id.lane) }
        return true
    }

    // MARK: Dead letters and replays

    private mutating func addLetter(_ failure: Settlement.Failure, of entry: Entry, from lane: Lane) {
        lastLetter += 1
        letters[lastLetter] = Letter(
            subscription: lane.subscription, failure: failure, isReplay: entry.isReplay, correction: lane.correction)
    }

    func deadLetter(_ id: Int64, events: (Int64) -> EventRecord?) -> DeadLetter? {
        letters[id].map { letter in
            DeadLetter(
                id: id,
                subscription: letter.subscription.text,
                attempts: letter.failure.attempts,
                reason: letter.failure.reason,
                date: Date(milliseconds: letter.failure.date.milliseconds),
                content: content(at: letter.failure.position, correction: letter.correction, events: events),
                isCorrected: letter.correction != nil
            )
        }
    }

    mutating func replayDeadLetters(_ ids: [Int64]) -> Int {
        var count = 0
        for id in Set(ids).sorted() {
            guard let letter = letters.removeValue(forKey: id) else { continue }
            count += 1
            let entry = Entry(position: letter.failure.position, isReplay: letter.isReplay)
            let lane = lane(of: nil, for: letter.subscription)
            append(entry, to: lane)
            lanes[lane]?.correction = letter.correction
        }
        return count
    }

    mutating func replayDeadLetter(_ id: Int64, correctedTo json: Data) -> Bool {
        letters[id]?.correction = json
        return replayDeadLetters([id]) == 1
    }

    mutating func discardDeadLetters(_ ids: [Int64]) -> Int {
        var count = 0
        for id in ids {
            guard let letter = letters.removeValue(forKey: id) else { continue }
            count += 1
            if letter.failure.position < 0 { scheduled[-letter.failure.position] = nil }
        }
        return count
    }

    /// Delivers `records` to `subscription` again, and ends all leases of the subscription.
    mutating func replay(_ subscription: BytewiseString, _ records: [EventRecord]) -> Int {
        for (id, lane) in lanes where lane.subscription == subscription {
            lanes[id]?.token += 1
            lanes[id]?.attempts = 0
            lanes[id]?.lastFailure = nil
            lanes[id]?.begun = 0
            lanes[id]?.readyAt = 0
            lanes[id]?.since = nil
            lanes[id]?.unknown = nil
            lanes[id]?.unknownSince = nil
        }
        let pending = Set(lanes.values.filter { $0.subscription == subscription }.flatMap(\.entries).map(\.position))
        let replayed = records.filter { !pending.contains($0.position) }
        for record in replayed {
            append(
                Entry(position: record.position, isReplay: true),
                to: lane(of: record.event.stream, for: subscription)
            )
        }
        return replayed.count
    }
}

extension InMemoryDeliveries {
    /// Returns the page of `request`.
    func pending(_ request: PendingDeliveryRequest, events: (Int64) -> EventRecord?) -> [PendingDelivery] {
        var page: [PendingDelivery] = []
        let bySubscription = Dictionary(grouping: lanes, by: \.value.subscription)
        for subscription in bySubscription.keys.sorted() {
            guard let start = request.start(in: subscription.text) else { continue }
            let sorted = (bySubscription[subscription] ?? []).sorted {
                ($0.value.readyAt, $0.key) < ($1.value.readyAt, $1.key)
            }
            for (id, lane) in sorted where (lane.readyAt, id) >= (start.0, start.1) {
                for (index, entry) in lane.entries.enumerated() where (lane.readyAt, id, entry.position) > start {
                    if page.count >= request.limit { return page }
                    let state = lane.state(of: entry, isFirst: index == 0, at: request.now.milliseconds)
                    if let wanted = request.state, wanted != state { continue }
                    page.append(
                        PendingDelivery(
                            id: PendingDelivery.ID(lane: id, position: entry.position),
                            state: state,
                            subscription: subscription.text,
                            attempts: index == 0 ? lane.attempts : 0,
                            readyAt: Date(milliseconds: lane.readyAt),
                            isReplay: entry.isReplay,
                            lastFailure: index == 0 ? lane.lastFailure : nil,
                            content: content(at: entry.position, correction: lane.correction, events: events)
                        )
                    )
                }
            }
        }
        return page
    }
}

extension InMemoryDeliveries.Lane {
    /// The state of an entry at `now`, in milliseconds since 1970.
    func state(of entry: InMemoryDeliveries.Entry, isFirst: Bool, at now: Int64) -> PendingDelivery.State {
        if readyAt > now, token > 0, entry.position <= begun { return .running }
        if !isFirst || readyAt <= now { return .waiting }
        if unknown != nil { return .unknown }
        return entry.position < 0 && token == 0 ? .scheduled : .retrying
    }
}
