// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A duration in milliseconds.
struct Time {
    /// Wall time.
    var wall = 0.0

    /// Processor time of all threads, without waits for the disk or for a processor.
    ///
    /// A busy machine increases the wall time more than the processor time.
    var processor = 0.0

    /// The time since an arbitrary start.
    static var now: Time { Time(wall: read(CLOCK_MONOTONIC), processor: read(CLOCK_PROCESS_CPUTIME_ID)) }

    /// Returns the time that `body` takes.
    static func measure(_ body: () throws -> Void) rethrows -> Time {
        let start = now
        try body()
        return now - start
    }

    /// Returns the median wall time and the median processor time.
    static func median(_ times: [Time]) -> Time {
        Time(
            wall: times.map(\.wall).sorted()[times.count / 2],
            processor: times.map(\.processor).sorted()[times.count / 2]
        )
    }

    static func + (one: Time, other: Time) -> Time {
        Time(wall: one.wall + other.wall, processor: one.processor + other.processor)
    }

    static func - (one: Time, other: Time) -> Time {
        Time(wall: one.wall - other.wall, processor: one.processor - other.processor)
    }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
