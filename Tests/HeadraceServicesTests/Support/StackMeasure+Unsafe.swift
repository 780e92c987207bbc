// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Measures how much stack lies between several calls.
final class StackMeasure: Sendable {
    private let addresses = Mutex<[UInt]>([])

    /// Records the address of the stack at this call.
    ///
    /// The pointer isn't used after its closure; only its number is kept.
    func measure() {
        var local = 0
        let address = unsafe withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        addresses.withLock { $0.append(address) }
    }

    /// Number of calls.
    var count: Int { addresses.withLock { $0.count } }

    /// Number of bytes between the first call and the deepest one.
    var depth: UInt {
        addresses.withLock { addresses in (addresses.max() ?? 0) - (addresses.min() ?? 0) }
    }
}
