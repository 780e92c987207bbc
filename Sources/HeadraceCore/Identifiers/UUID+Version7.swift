//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Synchronization

extension UUID {
    /// Returns a new UUID of version 7.
    ///
    /// Later UUIDs of a process sort after earlier ones, as bytes and as text.
    ///
    /// A UUID consists of 48 bits of Unix time in milliseconds, a counter of 12 bits, and 62 random bits. The counter
    /// restarts each millisecond. When it overflows, the time advances to the next millisecond.
    ///
    /// Source: RFC 9562, section 5.7 and method 1 of section 6.2,
    /// <https://www.rfc-editor.org/rfc/rfc9562>.
    public static func version7() -> UUID {
        Version7Sequence.shared.next(now: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
    }
}

/// A source of ascending timestamps, even if the system clock is set back.
package final class Version7Sequence: Sendable {
    static let shared = Version7Sequence()

    /// The last timestamp, with milliseconds in the upper bits and the counter in the lower 12 bits.
    private let last = Mutex<UInt64>(0)

    package init() {}

    /// Returns the UUID that follows the last one, at `now` milliseconds since 1970 or at the next free timestamp.
    package func next(now: UInt64) -> UUID {
        let time = last.withLock { last in
            last = max(last + 1, now << 12)
            return last
        }
        let random = UInt64.random(in: 0...UInt64.max)

        let upper = (time >> 12) << 16 | 0x7000 | time & 0xFFF
        let lower = 0x8000_0000_0000_0000 | random >> 2
        func byte(_ word: UInt64, _ index: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
        }
        return UUID(
            uuid: (
                byte(upper, 0), byte(upper, 1), byte(upper, 2), byte(upper, 3),
                byte(upper, 4), byte(upper, 5), byte(upper, 6), byte(upper, 7),
                byte(lower, 0), byte(lower, 1), byte(lower, 2), byte(lower, 3),
                byte(lower, 4), byte(lower, 5), byte(lower, 6), byte(lower, 7)
            )
        )
    }
}
