// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Decides when to look again for leases and retries that were written by a clock that is ahead.
///
/// The search reads all lanes that wait for longer than a lease, so it doesn't run with each request.
package final class ClockRepairTimer: Sendable {
    private let last = Mutex<Date?>(nil)

    package init() {}

    /// Whether the duration of a lease has passed since the last time, in either direction.
    package func isDue(_ request: LeaseRequest) -> Bool {
        last.withLock { last in
            let distance = last.map { abs(request.now.timeIntervalSince($0)) } ?? .infinity
            if distance < request.duration / .seconds(1) { return false }
            last = request.now
            return true
        }
    }
}
