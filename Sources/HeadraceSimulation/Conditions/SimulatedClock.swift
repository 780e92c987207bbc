// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
public import HeadraceCore
import HeadraceTesting
import Synchronization

/// The clock of a simulation: it stands still while code runs, and moves on when all wait.
public struct SimulatedClock: TimeSource {
    let scheduler: Scheduler

    /// The instant at which each simulation begins.
    static let beginning = ContinuousClock.now

    /// The date at which each simulation begins: the beginning of 2030 in UTC.
    static let firstDate = Date(timeIntervalSince1970: 1_893_456_000)

    /// The current instant.
    public var now: ContinuousClock.Instant { Self.beginning.advanced(by: scheduler.now) }

    /// The smallest step of the clock: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The date of a machine whose clock shows the right time.
    var date: Date { Self.firstDate.addingTimeInterval(scheduler.now / .seconds(1)) }

    /// Sleeps until the clock reaches `deadline`, or until the node of the caller goes on after that.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try await scheduler.checkEnd()
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let timer = scheduler.at(Self.beginning.duration(to: deadline), for: scheduler.currentOwner) {
            waiter.end(with: .success(()))?.resume()
        }
        defer { scheduler.removeTimer(timer) }
        try await waiter.value()
    }

    /// Sleeps for `duration`.
    func sleep(_ duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration))
    }
}

extension SystemValues {
    /// The values of a node whose clock is `skew` ahead.
    static func simulated(
        on clock: SimulatedClock, skew: Duration, stream: RandomStream, report: @escaping @Sendable (String) -> Void
    ) -> SystemValues {
        let sequence = Version7Sequence()
        let date = { @Sendable in clock.date.addingTimeInterval(skew / .seconds(1)) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: "en_US_POSIX")
        calendar.timeZone = .gmt
        var values = SystemValues(
            date: date,
            uuid: {
                sequence.next(now: UInt64(max(0, date().timeIntervalSince1970 * 1_000)), random: stream.next())
            },
            randomNumbers: stream.numbers,
            clock: clock,
            calendar: calendar,
            locale: Locale(identifier: "en_US_POSIX")
        )
        values.reportMistake = report
        return values
    }
}
#endif
