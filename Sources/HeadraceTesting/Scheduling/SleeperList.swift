// SPDX-License-Identifier: Apache-2.0

/// The sleeping tasks of a clock, and the tasks that wait for sleepers.
///
/// It is a pure state machine: its methods return the continuations to resume, and the caller resumes them.
struct SleeperList {
    struct Sleeper {
        let order: Int
        let deadline: ContinuousClock.Instant
        /// The actor that runs the sleeping task.
        let actor: (any Actor)?
        let continuation: CheckedContinuation<Void, any Error>
    }

    struct Watcher {
        let order: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private(set) var now: ContinuousClock.Instant

    /// Sorted by deadline, then by the order in which the tasks fell asleep.
    private(set) var sleepers: [Sleeper] = []

    /// Due sleepers by actor.
    ///
    /// Each of them wakes after the previous sleeper of its actor runs again.
    ///
    /// An actor has an entry as long as one of its sleepers is waking.
    private var following: [ObjectIdentifier: ArraySlice<Sleeper>] = [:]

    private var watchers: [Watcher] = []
    private var lastOrder = 0

    init(now: ContinuousClock.Instant) {
        self.now = now
    }

    mutating func makeOrder() -> Int {
        lastOrder += 1
        return lastOrder
    }

    mutating func advance(by duration: Duration) -> WakeUps {
        now = now.advanced(by: duration)
        let due = Array(sleepers.prefix { $0.deadline <= now })
        sleepers.removeFirst(due.count)
        return WakeUps(sleepers: due.filter { wakes($0) })
    }

    /// Whether the due `sleeper` wakes now.
    ///
    /// Otherwise it is queued behind another sleeper of its actor.
    private mutating func wakes(_ sleeper: Sleeper) -> Bool {
        guard let actor = sleeper.actor.map(ObjectIdentifier.init) else { return true }
        if following[actor] == nil {
            following[actor] = []
            return true
        }
        following[actor]?.append(sleeper)
        return false
    }

    /// Records that a sleeper of `actor` runs again, so that the next one can wake.
    mutating func hasWoken(on actor: any Actor) -> WakeUps {
        let actor = ObjectIdentifier(actor)
        if let next = following[actor]?.popFirst() { return WakeUps(sleepers: [next]) }
        following[actor] = nil
        return WakeUps()
    }

    mutating func add(_ sleeper: Sleeper) -> WakeUps {
        if sleeper.deadline <= now { return wakes(sleeper) ? WakeUps(sleepers: [sleeper]) : WakeUps() }
        let index = sleepers.firstIndex {
            ($0.deadline, $0.order) > (sleeper.deadline, sleeper.order)
        }
        sleepers.insert(sleeper, at: index ?? sleepers.endIndex)
        let satisfied = watchers.filter { $0.count <= sleepers.count }
        watchers.removeAll { $0.count <= sleepers.count }
        return WakeUps(watchers: satisfied)
    }

    mutating func cancelSleeper(_ order: Int) -> WakeUps {
        guard let index = sleepers.firstIndex(where: { $0.order == order }) else { return WakeUps() }
        return WakeUps(cancelled: sleepers.remove(at: index))
    }

    mutating func add(_ watcher: Watcher) -> WakeUps {
        if watcher.count <= sleepers.count { return WakeUps(watchers: [watcher]) }
        watchers.append(watcher)
        return WakeUps()
    }

    mutating func cancelWatcher(_ order: Int) -> WakeUps {
        guard let index = watchers.firstIndex(where: { $0.order == order }) else { return WakeUps() }
        return WakeUps(watchers: [watchers.remove(at: index)])
    }
}

/// The continuations to resume after the lock has been released.
struct WakeUps {
    var sleepers: [SleeperList.Sleeper] = []
    var cancelled: SleeperList.Sleeper?
    var watchers: [SleeperList.Watcher] = []

    func resume() {
        for sleeper in sleepers { sleeper.continuation.resume() }
        cancelled?.continuation.resume(throwing: CancellationError())
        for watcher in watchers { watcher.continuation.resume() }
    }
}
