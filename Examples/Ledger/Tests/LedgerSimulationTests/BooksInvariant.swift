// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceStorage
import LedgerApplication
import LedgerBooks
import Synchronization

/// The rules that hold for the books after each commit.
///
/// Each transaction is balanced, each account has the sum of its postings, all accounts together have the sum zero, and no account
/// breaks its rule. It decodes only the documents that have changed since the last check.
final class BooksInvariant: Sendable {
    private struct Entry {
        let document: StoredDocument
        let sums: [String: [String: Quantity]]
    }

    private let known = Mutex<[EntityReference: Entry]>([:])

    /// Returns whether all rules hold.
    func holds(in store: InMemoryStore) async throws -> Bool {
        let transactions = try await store.fetch(DocumentQuery(kind: Transaction.entityName))
        let accounts = try await store.fetch(DocumentQuery(kind: Account.entityName))
        let posted = try sums(of: transactions) { try Self.sums(of: $0) }
        let booked = try sums(of: accounts) { document in
            let account = try JSONDecoder().decode(Account.self, from: document.json)
            let overdrawn = account.balances.filter { account.rule?.neverBelowZero == true && $0.value.isNegative }
            if let (commodity, quantity) = overdrawn.first {
                throw BooksError(text: "The account '\(account.id)' has \(Amount(quantity, commodity)).")
            }
            return [account.id: account.balances]
        }
        let total = try booked.values.reduce(into: [:]) { try $0.add($1) }
        if !total.amounts.isEmpty { throw BooksError(text: "All accounts together have \(total.amounts).") }
        for name in Set(posted.keys).union(booked.keys).sorted() {
            let (sum, balance) = (posted[name]?.amounts ?? [], booked[name]?.amounts ?? [])
            if sum != balance {
                throw BooksError(text: "The account '\(name)' has \(balance), and its postings have \(sum).")
            }
        }
        return true
    }

    /// Returns the sums of `documents`, by account and commodity.
    private func sums(
        of documents: [StoredDocument], _ body: (StoredDocument) throws -> [String: [String: Quantity]]
    ) throws -> [String: [String: Quantity]] {
        var sums: [String: [String: Quantity]] = [:]
        for document in documents {
            let cached = known.withLock { $0[document.reference] }
            let entry: Entry
            if let cached, cached.document == document {
                entry = cached
            } else {
                entry = Entry(document: document, sums: try body(document))
                known.withLock { $0[document.reference] = entry }
            }
            for (account, quantities) in entry.sums { try sums[account, default: [:]].add(quantities) }
        }
        return sums
    }

    /// Returns the sums of a transaction, which must be balanced.
    private static func sums(of document: StoredDocument) throws -> [String: [String: Quantity]] {
        let transaction = try JSONDecoder().decode(Transaction.self, from: document.json)
        var sums: [String: [String: Quantity]] = [:]
        var total: [String: Quantity] = [:]
        for posting in transaction.postings {
            try sums[posting.account, default: [:]].add(posting.amount)
            try total.add(posting.amount)
        }
        if !total.amounts.isEmpty {
            throw BooksError(text: "The transaction '\(transaction.description)' isn't balanced: \(total.amounts).")
        }
        return sums
    }
}

/// A mistake in the books.
struct BooksError: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}
#endif
