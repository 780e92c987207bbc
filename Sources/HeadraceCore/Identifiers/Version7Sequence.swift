// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// A source of UUIDs of version 7, which ascend even if the system clock is set back.
package final class Version7Sequence: Sendable {
    package static let shared = Version7Sequence()

    /// The last timestamp, with milliseconds in the upper bits and the counter in the lower 12 bits.
    private let last = Mutex<UInt64>(0)

    package init() {}

    /// Returns the UUID that follows the last one, at `now` milliseconds since 1970 or at the next free timestamp.
    package func next(now: UInt64, random: UInt64 = .random(in: 0...UInt64.max)) -> UUID {
        let time = last.withLock { last in
            last = max(last + 1, now << 12)
            return last
        }

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
