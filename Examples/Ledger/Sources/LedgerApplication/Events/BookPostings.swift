//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks

/// Keeps the balances of the accounts: before the commit, so that books with a transaction missing from them
/// are never stored.
public struct BookPostings: DomainEventHandler {
    /// Books each posting to its account, which is opened where there is none.
    public static func handle(event: TransactionPosted, resolver: any DependencyResolver) async throws {
        let context: EntityContext = resolver.resolve()
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
            try account.book(posting.amount, on: event.date)
            if index == 0 { account.countTransaction() }
        }
    }
}
