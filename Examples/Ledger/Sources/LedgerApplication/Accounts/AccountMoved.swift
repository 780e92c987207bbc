// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The sums that a unit of work has booked on an account, by day and commodity.
///
/// The account raises the event, so the events of one account form one stream and are delivered one after the other.
/// Events of different accounts are delivered concurrently.
public struct AccountMoved: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "account-moved"

    /// The sum of the bookings of one day in one commodity.
    public struct Movement: Sendable, Hashable, Codable {
        /// The date of the transactions.
        public let date: BookDate

        /// The commodity.
        public let commodity: String

        /// The sum.
        public let change: Quantity
    }

    /// The full name of the account.
    public let account: String

    /// The movements, at most one for each date and commodity.
    public let movements: [Movement]

    /// The key by which bookings are summed.
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
