// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting

/// Counts the messages that a relay leaves, and lets a test wait for them.
final class LeftObserver: RelayObserver {
    private let state = ConditionVariable(0)

    var count: Int { state.value }

    func left(_ delivery: Delivery, reason: String, until: Date) {
        state.change { $0 += 1 }
    }

    /// Waits until the relay has left `count` messages.
    func wait(for count: Int) async {
        await state.wait { $0 >= count }
    }
}
