// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Calls functions at their deadlines, with one sleeping task for many of them.
///
/// A time limit is rarely reached. But a task that sleeps until then costs a timer of the system, which stays there until its end
/// also if the task is cancelled. A server with a limit of a minute would keep the timers of the last minute. The alarm sleeps once
/// for all deadlines that are later: when it awakes, it makes the calls that are due, and sleeps until the next one.
final class Alarm: Sendable {
    private struct Call: Sendable {
        let deadline: ContinuousClock.Instant
        let function: @Sendable () -> Void
    }

    private struct State {
        var calls: [UInt64: Call] = [:]
        var lastID: UInt64 = 0

        /// The ends of the sleeping tasks.
        var sleeps: [ContinuousClock.Instant] = []

        /// Notes a sleep until `deadline`, unless another sleep ends by then.
        mutating func needsSleep(until deadline: ContinuousClock.Instant) -> Bool {
            if sleeps.contains(where: { $0 <= deadline }) { return false }
            sleeps.append(deadline)
            return true
        }
    }

    /// The alarm of the system's clock.
    static let ofSystem = Alarm(clock: SystemValues.live.clock)

    private let clock: any TimeSource
    private let state = Mutex(State())

    init(clock: any TimeSource) {
        self.clock = clock
    }

    /// Calls `function` at `deadline`, on any thread; it must be short.
    ///
    /// - Returns: The identifier for ``remove(_:)``.
    func set(at deadline: ContinuousClock.Instant, _ function: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, needsSleep) = state.withLock { state in
            state.lastID += 1
            state.calls[state.lastID] = Call(deadline: deadline, function: function)
            return (state.lastID, state.needsSleep(until: deadline))
        }
        if needsSleep { Task.detached { await self.sleep(until: deadline) } }
        return id
    }

    /// Makes the call no more, unless it is being made.
    func remove(_ id: UInt64) {
        _ = state.withLock { $0.calls.removeValue(forKey: id) }
    }

    /// Number of tasks that sleep.
    var sleepCount: Int { state.withLock { $0.sleeps.count } }

    private func sleep(until deadline: ContinuousClock.Instant) async {
        var end = deadline
        while true {
            try? await clock.sleep(until: end, tolerance: nil)
            let now = clock.now
            let (due, next) = state.withLock { state in
                if let index = state.sleeps.firstIndex(of: end) { state.sleeps.remove(at: index) }
                var due: [(id: UInt64, call: Call)] = []
                var next: ContinuousClock.Instant?
                for (id, call) in state.calls {
                    if call.deadline <= now {
                        due.append((id, call))
                    } else {
                        next = min(next ?? call.deadline, call.deadline)
                    }
                }
                for (id, _) in due { state.calls[id] = nil }
                return (due, next.flatMap { state.needsSleep(until: $0) ? $0 : nil })
            }
            for (_, call) in due.sorted(by: { ($0.call.deadline, $0.id) < ($1.call.deadline, $1.id) }) {
                call.function()
            }
            guard let next else { return }
            end = next
        }
    }
}

extension TimeSource {
    /// Whether the clock is the system's, which no test controls.
    var isOfSystem: Bool {
        if self is CurrentClock { return SystemValues.bound.map { $0.clock is ContinuousClock } ?? true }
        return self is ContinuousClock
    }
}
