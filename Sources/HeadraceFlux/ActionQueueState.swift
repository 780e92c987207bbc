// SPDX-License-Identifier: Apache-2.0

/// The state machine of an action queue.
///
/// It decides which action has the turn, and resumes no task itself.
struct ActionQueueState<Waiter: Sendable>: Sendable {
    /// What the caller that adds an action does next.
    enum EnqueueResult: Sendable {
        case turn
        case waiting(Int)
        case refused(PipelineError)
        case closed
    }

    /// The outcome of a waiting action whose task hasn't suspended yet.
    enum EarlyOutcome: Sendable {
        case turn
        case rejected(any Error)
    }

    /// An action that waits, in the form in which it gets its turn.
    enum Occupant: Sendable {
        /// The action was cancelled or rejected.
        case removed

        /// A task awaits the action.
        ///
        /// The waiter is `nil` until the task has suspended.
        case awaited(Waiter?)

        /// No task awaits the action.
        case queued(any QueuedAction)
    }

    /// An action that was removed from the queue, and the reason.
    struct RejectedWaiter: Sendable {
        let occupant: Occupant
        let error: any Error
    }

    /// The work to do after a turn has ended.
    struct Handover: Sendable {
        var waiter: Waiter?
        var queued: (any QueuedAction)?
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

    /// The number of the action with each key, and the reverse.
    ///
    /// Empty unless the overflow policy is `coalesce`.
    private var slotOfKey: [CoalescingKey: Int] = [:]
    private var keyOfSlot: [Int: CoalescingKey] = [:]

    /// The outcomes of waiting actions whose tasks haven't suspended yet.
    private var earlyOutcomes: [Int: EarlyOutcome] = [:]

    /// Tasks that wait until the queue is empty, or `nil` for a task that hasn't suspended yet.
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

    // MARK: Adding and removing

    /// Takes the turn if no action has it and no action waits.
    mutating func takeFreeTurn() -> Bool {
        guard isActive, !isBusy, !isClosed, slots.isEmpty else { return false }
        isBusy = true
        return true
    }

    /// Adds a new action, which gets the turn if the queue is free.
    ///
    /// Also returns the actions that it replaces.
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

    /// Keeps `waiter` until its turn, or returns the outcome if there is one already.
    mutating func wait(_ waiter: Waiter, at number: Int) -> EarlyOutcome? {
        if let outcome = earlyOutcomes.removeValue(forKey: number) { return outcome }
        slots.replace(number, by: .awaited(waiter))
        return nil
    }

    /// Removes a waiting action, unless it has the turn.
    ///
    /// Returns it if its task waits, or if it is a queued action.
    mutating func leave(_ number: Int, because error: any Error) -> RejectedWaiter? {
        guard let left = remove(number) else { return nil }
        if case .awaited(nil) = left {
            earlyOutcomes[number] = .rejected(error)
            return nil
        }
        return RejectedWaiter(occupant: left, error: error)
    }

    /// Removes a waiting action whose task hasn't suspended yet.
    ///
    /// Returns whether it was still waiting.
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

    /// Ends the turn if no action and no task waits.
    ///
    /// Returns whether it did.
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

    /// Rejects new actions.
    ///
    /// Returns whether the queue is empty; otherwise keeps `onIdle` until it is.
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

    /// Registers a task that is about to wait until the queue is empty.
    ///
    /// Returns its number, or `nil` if the queue is empty.
    mutating func addDrainer() -> Int? {
        if isIdle { return nil }
        let number = makeNumber()
        drainers[number] = .some(nil)
        return number
    }

    /// Keeps `waiter` until the queue is empty.
    ///
    /// Returns `false` if the queue has been empty meanwhile.
    mutating func drain(_ waiter: Waiter, number: Int) -> Bool {
        guard hasDrainer(number) else { return false }
        drainers[number] = .some(waiter)
        return true
    }

    mutating func removeDrainer(_ number: Int) -> Waiter? {
        drainers.removeValue(forKey: number) ?? nil
    }

    func hasDrainer(_ number: Int) -> Bool { drainers[number] != nil }

    /// Removes and returns the tasks that wait until the queue is empty, in order of arrival, if it is empty.
    mutating func takeDrained() -> [Waiter] {
        guard isIdle, !drainers.isEmpty else { return [] }
        defer { drainers = [:] }
        return drainers.sorted { $0.key < $1.key }.compactMap(\.value)
    }

    private var isIdle: Bool { !isBusy && slots.isEmpty }

    private mutating func takeOnIdle() -> (@Sendable () -> Void)? {
        guard isIdle else { return nil }
        defer { onIdle = nil }
        return onIdle
    }
}

/// A queue of numbered elements in ascending order.
///
/// Elements are appended at the end and can be removed from any position.
///
/// It is an array, so an element needs little memory. Appending and removing take amortized constant time; finding a number
/// takes logarithmic time.
struct SlotQueue<Element: Sendable>: Sendable {
    private struct Slot: Sendable {
        let number: Int
        var element: Element
        var isTaken = true
    }

    private var slots: [Slot] = []

    /// Index of the first element, if there is an element.
    private var head = 0

    /// Number of elements.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Number of slots, including the slots of removed elements.
    var slotCount: Int { slots.count }

    /// The first element and its number.
    var first: (number: Int, element: Element)? {
        count == 0 ? nil : (slots[head].number, slots[head].element)
    }

    /// The numbers of all elements.
    var numbers: [Int] { slots[head...].filter(\.isTaken).map(\.number) }

    func contains(_ number: Int) -> Bool { index(of: number) != nil }

    /// Appends an element.
    ///
    /// `number` must be greater than all earlier numbers.
    mutating func append(_ element: Element, number: Int) {
        // Limits the memory of removed elements.
        if slots.count - head > 2 * count + 64 {
            slots = slots[head...].filter(\.isTaken)
            head = 0
        }
        slots.append(Slot(number: number, element: element))
        count += 1
    }

    /// Replaces the element with the number if it exists.
    mutating func replace(_ number: Int, by element: Element) {
        if let index = index(of: number) { slots[index].element = element }
    }

    /// Removes and returns the element with the number.
    ///
    /// `placeholder` takes its slot.
    mutating func remove(_ number: Int, leaving placeholder: Element) -> Element? {
        guard let index = index(of: number) else { return nil }
        return take(index, leaving: placeholder).element
    }

    /// Removes and returns the first element.
    mutating func removeFirst(leaving placeholder: Element) -> (number: Int, element: Element)? {
        count == 0 ? nil : take(head, leaving: placeholder)
    }

    private mutating func take(_ index: Int, leaving placeholder: Element) -> (number: Int, element: Element) {
        let taken = (slots[index].number, slots[index].element)
        slots[index].element = placeholder
        slots[index].isTaken = false
        count -= 1
        if count == 0 {
            // A long queue releases its memory. A short queue keeps it.
            slots.removeAll(keepingCapacity: slots.capacity <= 1_024)
            head = 0
            return taken
        }
        while !slots[head].isTaken { head += 1 }
        if head > 1_024, head > slots.count / 2 {
            slots.removeFirst(head)
            head = 0
        }
        return taken
    }

    /// Returns the index of the slot with the number if it holds an element.
    ///
    /// - Complexity: O(log *n*).
    private func index(of number: Int) -> Int? {
        var (low, high) = (head, slots.count)
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low].number == number, slots[low].isTaken else { return nil }
        return low
    }
}
