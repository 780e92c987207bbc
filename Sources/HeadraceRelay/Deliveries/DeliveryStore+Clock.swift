// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage

extension DeliveryStore {
    /// The clock of the store, or of this machine if the store has none.
    var relayClock: @Sendable () -> Date { wallClock ?? { SystemValues.current.date() } }
}
