//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerBooks

/// Posts transactions in a unit of work: stores each transaction, and books its postings to their accounts.
///
/// A command of one transaction and an import of many transactions post them in the same way. Call ``finish()`` after the last
/// transaction. Until then, a rule may be broken between two postings.
struct Bookkeeper {
    private let context: EntityContext

    /// The accounts with bookings, by name.
    private var accounts: [String: Account] = [:]

    /// Creates a bookkeeper for the unit of work of `context`.
    init(in context: EntityContext) {
        self.context = context
    }

    /// Posts `draft`.
    ///
    /// - Throws: `PostingRefusal` if the draft isn't balanced, or if totals can't hold its amounts; `StoreError`.
    mutating func post(_ draft: TransactionDraft, id: UUID = .version7(), origin: Fingerprint?) async throws {
        try await post(try Transaction(posting: draft, id: id, origin: origin))
    }

    /// Posts `transaction`, which is new.
    ///
    /// - Throws: `PostingRefusal` if totals can't hold its amounts; `StoreError`.
    mutating func post(_ transaction: Transaction) async throws {
        context.insert(transaction)
        let unknown = transaction.postings.map(\.account).filter { accounts[$0] == nil }
        if !unknown.isEmpty {
            for account in try await context.find(Account.self, ids: unknown) { accounts[account.id] = account }
        }
        for (index, posting) in transaction.postings.enumerated() {
            let account = accounts[posting.account] ?? Account(opening: posting.account)
            if accounts.updateValue(account, forKey: posting.account) == nil { context.insert(account) }
            if let digits = try account.book(posting.amount, on: transaction.date) {
                try await CommodityRange.widen(to: digits, for: posting, in: context)
            }
            if index == 0 { account.countTransaction() }
        }
    }

    /// Checks the rules of the accounts, and has each account raise one ``AccountMoved`` for all of its bookings.
    ///
    /// - Throws: ``AccountRefusal`` if the bookings break a rule.
    mutating func finish() throws {
        for account in accounts.values.sorted(by: { $0.id < $1.id }) { try account.finishBooking() }
        accounts = [:]
    }
}
