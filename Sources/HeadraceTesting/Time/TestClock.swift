//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
import Synchronization

/// A clock that stands still until the test moves it.
///
/// ```swift
/// let clock = TestClock()
/// async let answer = dispatch(command, retryingOn: clock)
///
/// await clock.sleepers(1)                // returns once the code really sleeps
/// clock.advance(by: .seconds(2))         // and wakes it
/// #expect(try await answer == "done")
/// ```
///
/// No real time passes: a sleep ends when the clock has been moved to its deadline, or when its task is cancelled.
public final class TestClock: TimeSource {
    private let state: Mutex<SleeperList>

    /// The instant to which the clock was last moved.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The smallest step of the clock: the attosecond of `Duration`.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// How long each task that sleeps has still to sleep, in the order in which they will wake.
    public var remainingSleeps: [Duration] {
        state.withLock { list in list.sleepers.map { list.now.duration(to: $0.deadline) } }
    }

    /// Creates a clock that stands at `now`.
    public init(now: ContinuousClock.Instant = .now) {
        state = Mutex(SleeperList(now: now))
    }

    /// Moves the clock, and wakes whoever sleeps until then or less: earlier deadlines first, equal ones in the order
    /// in which they fell asleep.
    ///
    /// It moves in one step. Who wakes sees the clock where it stands now, not at its own deadline, and runs when the
    /// executor runs it: to let a task sleep several times, await ``sleepers(_:)`` before each step.
    ///
    /// - Parameter duration: How far; not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "The clock cannot go back. To fix, advance it by what is not negative.")
        state.withLock { $0.advance(by: duration) }.resume()
    }

    /// Sleeps until the clock was moved to `deadline`; returns at once where it was.
    ///
    /// - Throws: `CancellationError` where the task is cancelled, before or while it sleeps.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        let order = state.withLock { $0.makeOrder() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it
                // runs after, and finds the sleeper.
                state.withLock { list in
                    let sleeper = SleeperList.Sleeper(order: order, deadline: deadline, continuation: continuation)
                    return Task.isCancelled ? WakeUps(cancelled: sleeper) : list.add(sleeper)
                }.resume()
            }
        } onCancel: {
            state.withLock { $0.cancelSleeper(order) }.resume()
        }
    }

    /// Waits until at least `count` tasks sleep on the clock; returns early where the waiting task is cancelled.
    public func sleepers(_ count: Int) async {
        let order = state.withLock { $0.makeOrder() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { list in
                    let watcher = SleeperList.Watcher(order: order, count: count, continuation: continuation)
                    return Task.isCancelled ? WakeUps(watchers: [watcher]) : list.add(watcher)
                }.resume()
            }
        } onCancel: {
            state.withLock { $0.cancelWatcher(order) }.resume()
        }
    }
}
