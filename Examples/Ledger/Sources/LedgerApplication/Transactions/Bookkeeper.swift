// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerBooks

/// Posts transactions in a unit of work: stores each transaction, and books its postings to their accounts.
///
/// A command of one transaction and an import of many transactions post them in the same way. Call ``finish()`` after the last
/// transaction. Until then, a rule may be broken between two postings.
struct Bookkeeper {
    private let context: EntityContext

    /// The accounts with bookings and their parents, by name.
    private var accounts: [String: Account] = [:]

    /// The names of accounts that were looked up, with those that don't exist.
    private var known: Set<String> = []

    /// Creates a bookkeeper for the unit of work of `context`.
    init(in context: EntityContext) {
        self.context = context
    }

    /// Posts `draft`.
    ///
    /// - Throws: `PostingRefusal` if the draft isn't balanced, or if totals can't hold its amounts; `StoreError`.
    mutating func post(_ draft: TransactionDraft, id: UUID = .version7(), origin: Fingerprint?) async throws {
        let isComplete = draft.postings.allSatisfy { $0.amount != nil }
        try await post(
            try Transaction(posting: draft, id: id, origin: origin), scales: isComplete ? nil : draft.writtenScales)
    }

    /// Posts `transaction`, which is new.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - scales: The digits after the point of the amounts that were written and not computed, by commodity; `nil` if
    ///     all amounts were written.
    /// - Throws: `PostingRefusal` if totals can't hold its amounts; `StoreError`.
    mutating func post(_ transaction: Transaction, scales: [String: Int]?) async throws {
        context.insert(transaction)
        try await lookUp(transaction.postings.map(\.account))
        for (index, posting) in transaction.postings.enumerated() {
            let account = accounts[posting.account] ?? Account(opening: posting.account)
            if accounts.updateValue(account, forKey: posting.account) == nil { context.insert(account) }
            let amount = posting.amount
            let longest = scales.map { $0[amount.commodity] } ?? amount.quantity.scale
            let scale = longest.map { min($0, amount.quantity.scale) }
            if let digits = try account.book(amount, on: transaction.date, scale: scale) {
                try await CommodityRange.widen(to: digits, for: posting, in: context)
            }
            if index == 0 { account.countTransaction() }
        }
    }

    /// Reads the accounts `names` and their parents, whose rules hold for them.
    private mutating func lookUp(_ names: [String]) async throws {
        var unknown: [String] = []
        for name in names where !known.contains(name) {
            for name in [name] + Account.parents(of: name) where known.insert(name).inserted { unknown.append(name) }
        }
        if unknown.isEmpty { return }
        for account in try await context.find(Account.self, ids: unknown) { accounts[account.id] = account }
    }

    /// Checks the rules of the accounts, and has each account raise one ``AccountMoved`` for all of its bookings.
    ///
    /// - Throws: ``AccountRefusal`` if the bookings break a rule.
    mutating func finish() throws {
        for account in accounts.values.sorted(by: { $0.id < $1.id }) {
            try account.finishBooking(under: Account.parents(of: account.id).compactMap { accounts[$0] })
        }
        accounts = [:]
        known = []
    }
}
