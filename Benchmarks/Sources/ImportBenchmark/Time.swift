//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What something has taken, in milliseconds.
struct Time {
    /// By the clock on the wall.
    var wall = 0.0

    /// What all threads have run, not what they have waited for the disk or for a processor: a busy machine
    /// lengthens the other one more.
    var processor = 0.0

    /// The time since some moment.
    static var now: Time { Time(wall: read(CLOCK_MONOTONIC), processor: read(CLOCK_PROCESS_CPUTIME_ID)) }

    /// Gives what `body` takes.
    static func measure(_ body: () throws -> Void) rethrows -> Time {
        let start = now
        try body()
        return now - start
    }

    /// Gives the medians, each of its own.
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
