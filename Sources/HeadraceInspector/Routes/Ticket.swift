//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The right to one of few things, given back when nobody holds it any more.
final class Ticket: Sendable {
    /// How many tickets there are, and how many there may be.
    final class Office: Sendable {
        private let limit: Int
        private let count = Mutex(0)

        init(limit: Int) {
            self.limit = limit
        }

        /// Gives a ticket, or `nil` where all are taken.
        func take() -> Ticket? {
            let isFree = count.withLock { count in
                if count >= limit { return false }
                count += 1
                return true
            }
            return isFree ? Ticket(self) : nil
        }

        fileprivate func giveBack() {
            count.withLock { $0 -= 1 }
        }
    }

    private let office: Office

    private init(_ office: Office) {
        self.office = office
    }

    deinit {
        office.giveBack()
    }
}
