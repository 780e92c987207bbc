//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides whose turn it is; resumes no task itself.
struct ActionQueueState<Waiter: Sendable, Queued: Sendable>: Sendable {
    /// What comes of an action that arrives.
    enum EnqueueResult: Sendable {
        case turn
        case waiting(Int)
        case refused(PipelineError)
        case closed
    }

    /// What has become of a place before a task waited at it.
    enum EarlyOutcome: Sendable {
        case turn
        case rejected(any Error)
    }

    /// An action that waits.
    enum Occupant: Sendable {
        /// None: it was cancelled or rejected.
        case removed

        /// A task awaits the action, and may not have reached the place yet.
        case awaited(Waiter?)

        /// No task awaits the action.
        case queued(Queued)
    }

    /// An action that must not wait any longer, and why.
    struct RejectedWaiter: Sendable {
        let occupant: Occupant
        let error: any Error
    }

    /// What must be done when a turn has ended.
    struct Handover: Sendable {
        var waiter: Waiter?
        var queued: Queued?
        var drained: [Waiter] = []
        var onIdle: (@Sendable () -> Void)?
    }

    private let limit: Int?
    private let overflow: Overflow.Choice

    private(set) var isBusy = false
    private(set) var isActive = true
    private(set) var isClosed = false

    private var slots = SlotQueue<Occupant>()
    private var nextNumber = 0

    /// The place of each key, and the key of each place; empty unless actions with the same key replace each other.
    private var slotOfKey: [CoalescingKey: Int] = [:]
    private var keyOfSlot: [Int: CoalescingKey] = [:]

    /// What has become of slots at which no task waited yet.
    private var earlyOutcomes: [Int: EarlyOutcome] = [:]

    /// Tasks that wait for the line to be empty; `nil` for one that does not wait yet, but is about to.
    private var drainers: [Int: Waiter?] = [:]
    private var onIdle: (@Sendable () -> Void)?

    init(limit: Int?, overflow: Overflow.Choice) {
        self.limit = limit.map { max(0, $0) }
        self.overflow = overflow
    }

    var waitingCount: Int { slots.count }

    private mutating func makeNumber() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    // MARK: Coming and going

    /// Takes the turn, if no action has it and none waits.
    mutating func takeFreeTurn() -> Bool {
        guard isActive, !isBusy, !isClosed, slots.isEmpty else { return false }
        isBusy = true
        return true
    }

    /// Gives the action that arrives the turn or a place, and returns those that lose their slots by it.
    mutating func enqueue(_ occupant: Occupant, key: AnyHashable?) -> (EnqueueResult, [RejectedWaiter]) {
        if isClosed { return (.closed, []) }
        if takeFreeTurn() { return (.turn, []) }
        let key = key.map { CoalescingKey($0) }
        guard let limit, slots.count >= limit else { return (.waiting(add(occupant, key)), []) }
        switch overflow {
        case .dropNewest:
            return (.refused(.dropped(limit: limit)), [])
        case .dropOldest:
            guard let oldest = slots.first else { return (.refused(.dropped(limit: limit)), []) }
            return replace(oldest.number, by: occupant, key, limit: limit)
        case .coalesce:
            if let key, let same = slotOfKey[key] { return replace(same, by: occupant, key, limit: limit) }
            fallthrough
        case .suspend:
            if case .queued = occupant { return (.refused(.full(limit: limit)), []) }
            return (.waiting(add(occupant, key)), [])
        }
    }

    private mutating func replace(
        _ old: Int,
        by occupant: Occupant,
        _ key: CoalescingKey?,
        limit: Int
    ) -> (EnqueueResult, [RejectedWaiter]) {
        let evicted = leave(old, because: PipelineError.dropped(limit: limit))
        return (.waiting(add(occupant, key)), evicted.map { [$0] } ?? [])
    }

    private mutating func add(_ occupant: Occupant, _ key: CoalescingKey?) -> Int {
        let number = makeNumber()
        slots.append(occupant, number: number)
        if let key {
            slotOfKey[key] = number
            keyOfSlot[number] = key
        }
        return number
    }

    /// Keeps `waiter` until its turn, or returns what has become of its place.
    mutating func wait(_ waiter: Waiter, at number: Int) -> EarlyOutcome? {
        if let outcome = earlyOutcomes.removeValue(forKey: number) { return outcome }
        slots.replace(number, by: .awaited(waiter))
        return nil
    }

    /// Gives the place up, unless its turn has come; returns the action that waited at it.
    mutating func leave(_ number: Int, because error: any Error) -> RejectedWaiter? {
        guard let left = remove(number) else { return nil }
        if case .awaited(nil) = left {
            earlyOutcomes[number] = .rejected(error)
            return nil
        }
        return RejectedWaiter(occupant: left, error: error)
    }

    /// Gives up a place at which no task waits yet; returns whether it was still there.
    mutating func withdraw(_ number: Int) -> Bool {
        remove(number) != nil
    }

    func isWaiting(_ number: Int) -> Bool { slots.contains(number) }

    private mutating func remove(_ number: Int) -> Occupant? {
        guard let removed = slots.remove(number, leaving: .removed) else { return nil }
        forgetKey(of: number)
        return removed
    }

    private mutating func forgetKey(of number: Int) {
        if keyOfSlot.isEmpty { return }
        if let key = keyOfSlot.removeValue(forKey: number), slotOfKey[key] == number { slotOfKey[key] = nil }
    }

    // MARK: Turns

    /// Ends the turn, if no action and no task waits for anything.
    mutating func endLastTurn() -> Bool {
        guard slots.isEmpty, drainers.isEmpty, onIdle == nil else { return false }
        isBusy = false
        return true
    }

    mutating func passTurn() -> Handover {
        isBusy = false
        return giveTurn()
    }

    private mutating func giveTurn() -> Handover {
        if isActive, !isBusy, let first = slots.removeFirst(leaving: .removed) {
            isBusy = true
            forgetKey(of: first.number)
            switch first.element {
            case .queued(let action): return Handover(queued: action)
            case .awaited(let waiter?): return Handover(waiter: waiter)
            case .awaited(nil), .removed:
                earlyOutcomes[first.number] = .turn
                return Handover()
            }
        }
        return Handover(drained: takeDrained(), onIdle: takeOnIdle())
    }

    mutating func activate() -> Handover {
        isActive = true
        return giveTurn()
    }

    mutating func deactivate() {
        isActive = false
    }

    // MARK: The end

    /// Takes no more; returns whether no action is left, and otherwise keeps `onIdle` until then.
    mutating func close(_ onIdle: @escaping @Sendable () -> Void) -> Bool {
        isClosed = true
        if isIdle { return true }
        self.onIdle = onIdle
        return false
    }

    mutating func shutDown() {
        isClosed = true
    }

    mutating func rejectWaiting(because error: PipelineError) -> [RejectedWaiter] {
        slots.numbers.compactMap { leave($0, because: error) }
    }

    /// Announces a task that is about to wait for the line to be empty; `nil` if it is.
    mutating func addDrainer() -> Int? {
        if isIdle { return nil }
        let number = makeNumber()
        drainers[number] = .some(nil)
        return number
    }

    /// Keeps `waiter` until the line is empty; returns `false` if it was empty meanwhile.
    mutating func drain(_ waiter: Waiter, number: Int) -> Bool {
        guard hasDrainer(number) else { return false }
        drainers[number] = .some(waiter)
        return true
    }

    mutating func removeDrainer(_ number: Int) -> Waiter? {
        drainers.removeValue(forKey: number) ?? nil
    }

    func hasDrainer(_ number: Int) -> Bool { drainers[number] != nil }

    /// Tasks that wait for the line to be empty, if it is.
    mutating func takeDrained() -> [Waiter] {
        guard isIdle, !drainers.isEmpty else { return [] }
        defer { drainers = [:] }
        return drainers.values.compactMap { $0 }
    }

    private var isIdle: Bool { !isBusy && slots.isEmpty }

    private mutating func takeOnIdle() -> (@Sendable () -> Void)? {
        guard isIdle else { return nil }
        defer { onIdle = nil }
        return onIdle
    }
}
