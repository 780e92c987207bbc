//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides whose turn it is; resumes nobody itself.
struct ActionLineState<Waiter: Sendable>: Sendable {
    /// What comes of one who comes.
    enum Arrival: Sendable {
        case turn
        case place(Int)
        case refused(PipelineError)
        case closed
    }

    /// What has become of a place before anybody waited at it.
    enum Fate: Sendable {
        case turn
        case rejected(any Error)
    }

    /// One who must not wait any longer.
    struct Rejection: Sendable {
        let waiter: Waiter
        let error: any Error
    }

    /// What is to be done when a turn has ended.
    struct Next: Sendable {
        var waiter: Waiter?
        var drained: [Waiter] = []
        var onIdle: (@Sendable () -> Void)?
    }

    private struct Place: Sendable {
        var waiter: Waiter?
        let key: AnyKey?
    }

    /// A key as given by the program, which compares it within the lock and lets it go nowhere.
    private struct AnyKey: Hashable, @unchecked Sendable {
        let value: AnyHashable
    }

    private let limit: Int?
    private let overflow: Overflow.Choice

    private(set) var isBusy = false
    private(set) var isActive = true
    private(set) var isClosed = false

    /// Those who wait, by numbers that count up; the least is the first.
    private var places: [Int: Place] = [:]
    private var firstPlace = 0
    private var nextPlace = 0
    private var keys: [AnyKey: Int] = [:]

    /// What has become of places at which nobody waited yet.
    private var fates: [Int: Fate] = [:]

    private var drainers: [Int: Waiter] = [:]
    private var onIdle: (@Sendable () -> Void)?

    init(limit: Int?, overflow: Overflow.Choice) {
        self.limit = limit.map { max(0, $0) }
        self.overflow = overflow
    }

    var waitingCount: Int { places.count }

    mutating func makePlace() -> Int {
        defer { nextPlace += 1 }
        return nextPlace
    }

    // MARK: Coming and going

    /// Takes the turn, if nobody has it and nobody waits.
    mutating func takeFreeTurn() -> Bool {
        guard isActive, !isBusy, !isClosed, places.isEmpty else { return false }
        isBusy = true
        return true
    }

    /// Gives whoever comes the turn or a place, and those who lose theirs by it.
    mutating func arrive(key: AnyHashable?, isAwaited: Bool) -> (Arrival, [Rejection]) {
        if isClosed { return (.closed, []) }
        if takeFreeTurn() { return (.turn, []) }
        let key = key.map { AnyKey(value: $0) }
        guard let limit, places.count >= limit else { return (.place(take(key)), []) }
        switch overflow {
        case .dropNewest:
            return (.refused(.dropped(limit: limit)), [])
        case .dropOldest:
            guard let oldest = first() else { return (.refused(.dropped(limit: limit)), []) }
            let evicted = leave(oldest, because: PipelineError.dropped(limit: limit))
            return (.place(take(key)), evicted.map { [$0] } ?? [])
        case .coalesce:
            if let key, let same = keys[key] {
                let evicted = leave(same, because: PipelineError.dropped(limit: limit))
                return (.place(take(key)), evicted.map { [$0] } ?? [])
            }
            fallthrough
        case .suspend:
            return isAwaited ? (.place(take(key)), []) : (.refused(.full(limit: limit)), [])
        }
    }

    private mutating func take(_ key: AnyKey?) -> Int {
        let place = makePlace()
        places[place] = Place(key: key)
        if let key { keys[key] = place }
        return place
    }

    /// Keeps `waiter` until its turn, or gives what has become of its place.
    mutating func wait(_ waiter: Waiter, at place: Int) -> Fate? {
        if let fate = fates.removeValue(forKey: place) { return fate }
        places[place]?.waiter = waiter
        return nil
    }

    /// Gives the place up, unless its turn has come; gives who waited at it.
    mutating func leave(_ place: Int, because error: any Error) -> Rejection? {
        guard let left = remove(place) else { return nil }
        guard let waiter = left.waiter else {
            fates[place] = .rejected(error)
            return nil
        }
        return Rejection(waiter: waiter, error: error)
    }

    private mutating func remove(_ place: Int) -> Place? {
        guard let removed = places.removeValue(forKey: place) else { return nil }
        if let key = removed.key, keys[key] == place { keys[key] = nil }
        return removed
    }

    /// The place of whoever has waited longest.
    ///
    /// - Complexity: O(1) amortised: each number is passed once.
    private mutating func first() -> Int? {
        if places.isEmpty { return nil }
        while places[firstPlace] == nil { firstPlace += 1 }
        return firstPlace
    }

    // MARK: Turns

    /// Ends the turn, if nobody waits for anything.
    mutating func endLastTurn() -> Bool {
        guard places.isEmpty, drainers.isEmpty, onIdle == nil else { return false }
        isBusy = false
        return true
    }

    mutating func passTurn() -> Next {
        isBusy = false
        return giveTurn()
    }

    private mutating func giveTurn() -> Next {
        if isActive, !isBusy, let place = first(), let next = remove(place) {
            isBusy = true
            if let waiter = next.waiter { return Next(waiter: waiter) }
            fates[place] = .turn
            return Next()
        }
        return Next(drained: takeDrained(), onIdle: takeOnIdle())
    }

    mutating func activate() -> Next {
        isActive = true
        return giveTurn()
    }

    mutating func deactivate() {
        isActive = false
    }

    // MARK: The end

    /// Takes no more; gives whether nobody is left, and otherwise keeps `onIdle` until then.
    mutating func close(_ onIdle: @escaping @Sendable () -> Void) -> Bool {
        isClosed = true
        if isIdle { return true }
        self.onIdle = onIdle
        return false
    }

    mutating func shutDown() {
        isClosed = true
    }

    mutating func rejectWaiting() -> [Rejection] {
        places.keys.sorted().compactMap { leave($0, because: PipelineError.shutDown) }
    }

    /// Keeps `waiter` until nobody is left, or gives that this is so.
    mutating func drain(_ waiter: Waiter, id: Int) -> Bool {
        if isIdle { return true }
        drainers[id] = waiter
        return false
    }

    mutating func removeDrainer(_ id: Int) -> Waiter? {
        drainers.removeValue(forKey: id)
    }

    /// Those who wait for the line to be empty, if it is.
    mutating func takeDrained() -> [Waiter] {
        guard isIdle else { return [] }
        defer { drainers = [:] }
        return Array(drainers.values)
    }

    private var isIdle: Bool { !isBusy && places.isEmpty }

    private mutating func takeOnIdle() -> (@Sendable () -> Void)? {
        guard isIdle else { return nil }
        defer { onIdle = nil }
        return onIdle
    }
}
