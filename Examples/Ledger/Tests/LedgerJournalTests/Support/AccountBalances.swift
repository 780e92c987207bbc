// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal

/// The balances of accounts by commodity, without zeros.
struct AccountBalances: Equatable, CustomStringConvertible {
    private var quantities: [Key: Quantity] = [:]

    private struct Key: Hashable {
        let account: String
        let commodity: String
    }

    /// Creates empty balances.
    init() {}

    /// Sums the balanced postings of `journal`.
    init(of journal: Journal) throws {
        for entry in journal.entries {
            for posting in try entry.transaction.balanced() {
                try add(posting.amount, to: posting.account)
            }
        }
    }

    /// Number of balances that aren't zero.
    var count: Int { quantities.count }

    /// One line for each balance, sorted.
    var description: String {
        quantities.map { "\($0.account)  \(Amount($1, $0.commodity))" }.sorted().joined(separator: "\n")
    }

    mutating func add(_ amount: Amount, to account: String) throws {
        let key = Key(account: account, commodity: amount.commodity)
        let sum = try (quantities[key] ?? .zero).adding(amount.quantity)
        quantities[key] = sum.isZero ? nil : sum
    }

    /// The balances that differ in `other`, with both values.
    func differences(from other: Self) -> [String] {
        Set(quantities.keys).union(other.quantities.keys).compactMap { key in
            let (here, there) = (quantities[key] ?? .zero, other.quantities[key] ?? .zero)
            return here == there ? nil : "\(key.account) \(key.commodity): \(here) here, \(there) there"
        }.sorted()
    }
}
