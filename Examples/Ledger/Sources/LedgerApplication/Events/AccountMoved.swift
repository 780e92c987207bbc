//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// What a unit of work has booked on an account, a day and commodity each.
///
/// The account raises it, so that its events are one stream: whoever handles them gets those of one account one after the
/// other, and those of several at the same time.
public struct AccountMoved: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "account-moved"

    /// By how much the account has moved on one day.
    public struct Movement: Sendable, Hashable, Codable {
        /// The day.
        public let date: BookDate

        /// The commodity.
        public let commodity: String

        /// What was booked.
        public let change: Quantity
    }

    /// The full name of the account.
    public let account: String

    /// The movements, no two of the same day and commodity.
    public let movements: [Movement]

    /// What movements are summed up by.
    struct Day: Hashable {
        let date: BookDate
        let commodity: String
    }

    init(account: String, changes: [Day: Quantity]) {
        self.account = account
        movements =
            changes
            .map { Movement(date: $0.key.date, commodity: $0.key.commodity, change: $0.value) }
            .sorted { ($0.date, $0.commodity) < ($1.date, $1.commodity) }
    }
}
