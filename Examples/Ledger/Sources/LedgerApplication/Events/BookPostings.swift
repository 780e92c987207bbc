//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks

/// Keeps the balances of the accounts: before the commit, so that books with a transaction missing from them
/// are never stored.
///
/// It refuses an amount that totals couldn't hold, with `PostingRefusal`: then nothing of the unit of work is stored.
public struct BookPostings: HandlesDomainEvent, Resolvable {
    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Books each posting to its account, which is opened where there is none.
    public func handle(_ event: TransactionPosted) async throws {
        let known = try await context.find(Account.self, ids: event.postings.map(\.account))
        var accounts = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
        for (index, posting) in event.postings.enumerated() {
            let account: Account
            if let opened = accounts[posting.account] {
                account = opened
            } else {
                account = Account(opening: posting.account)
                accounts[posting.account] = account
                context.insert(account)
            }
            let before = account.digits(of: posting.amount.commodity)
            try account.book(posting.amount, on: event.date)
            let after = account.digits(of: posting.amount.commodity)
            if !before.covers(after) { try await widen(to: after, for: posting) }
            if index == 0 { account.countTransaction() }
        }
    }

    /// Has the range of the posting's commodity cover `digits`.
    private func widen(to digits: DigitRange, for posting: Posting) async throws {
        let commodity = posting.amount.commodity
        let range: CommodityRange
        if let known = try await context.find(CommodityRange.self, id: commodity) {
            range = known
        } else {
            range = CommodityRange(of: commodity)
            context.insert(range)
        }
        if !range.widen(to: digits) {
            throw PostingRefusal.beyondTotals(posting.amount, on: posting.account, needing: range.digits.union(digits))
        }
    }
}
