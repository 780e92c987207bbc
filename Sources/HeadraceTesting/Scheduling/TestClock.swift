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

    /// Moves the clock, and wakes the tasks whose deadlines it has reached: earlier deadlines first, equal ones in the
    /// order in which they fell asleep.
    ///
    /// Tasks that sleep on one executor also run in that order, each until it suspends or ends. These are
    ///
    /// - tasks of one priority that call ``sleep(until:tolerance:)`` of a `TestClock` on one actor, as the sleep stays on the
    ///   actor of its caller;
    /// - tasks whose task executor is a serial one, like the effects of a ``TestStation``.
    ///
    /// On a concurrent executor the tasks run at the same time, in any order. So do tasks of one actor that sleep on an
    /// `any Clock` or `any TimeSource`, because that call leaves the actor.
    ///
    /// The clock moves in one step. A task that wakes sees the time to which the clock was moved, not its own deadline. To
    /// let a task sleep several times, await ``sleepers(_:)`` before each step.
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
        try await sleep(until: deadline, isolation: #isolation)
    }

    /// Sleeps on the actor of the caller, so that the tasks of one actor run in the order in which they are resumed.
    private func sleep(until deadline: ContinuousClock.Instant, isolation: isolated (any Actor)?) async throws {
        let order = state.withLock { $0.makeOrder() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it
                // runs after, and finds the sleeper.
                state.withLock { list in
                    let sleeper = SleeperList.Sleeper(
                        order: order, deadline: deadline, actor: isolation, continuation: continuation
                    )
                    return Task.isCancelled ? WakeUps(cancelled: sleeper) : list.add(sleeper)
                }.resume()
            }
        } onCancel: {
            state.withLock { $0.cancelSleeper(order) }.resume()
        }
        // This task holds the actor until it suspends, so the next one runs after that, in whatever order the actor
        // takes up tasks. A task that is cancelled has not been woken.
        if let isolation { state.withLock { $0.hasWoken(on: isolation) }.resume() }
    }

    /// Waits until at least `count` tasks sleep on the clock; returns early where the waiting task is cancelled.
    ///
    /// A task may still be about to suspend when this returns. The order that ``advance(by:)`` promises holds for tasks on
    /// an actor all the same; for tasks on a serial executor, wait until the executor is idle.
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
