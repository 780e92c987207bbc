// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceProjections
import HeadraceSimulation
import HeadraceStorage
import LedgerBooks

@testable import LedgerApplication

extension LedgerWorld {
    /// Waits until all work is finished without faults, and checks the books, the webhook, and everything that is computed.
    func check() async throws {
        let orders = record.content.orders
        try await world.eventually("each standing order is finished") { store in
            let stored = try await EntityContext(store).find(StandingOrder.self, ids: orders.map(\.id))
            return stored.count == orders.count && stored.allSatisfy { $0.state == .finished }
        }
        try await world.eventuallyFinishes()
        // Finished orders and imports have cancelled their time-outs.
        try await world.eventually("no message is scheduled") { try await $0.deliveryStatistics().pendingCount == 0 }

        let transactions = try await EntityContext(world.store).fetch(Transaction.self)
        try checkTransactions(transactions)
        checkWebhook(transactions)
        try await checkComputed(transactions)
    }

    // MARK: Transactions

    private func checkTransactions(_ transactions: [Transaction]) throws {
        let content = record.content
        let originals = transactions.filter { $0.reverses == nil }
        let stored = Dictionary(grouping: originals, by: \.description)
        for (description, draft) in content.sent.sorted(by: { $0.key < $1.key }) {
            let found = stored[description] ?? []
            if let id = content.acknowledged[description] {
                world.expect(
                    found.map(\.id) == [id], "'\(description)' is stored as \(found.map(\.id)), acknowledged as \(id).")
            } else {
                // A refused request can have been repeated when the wallet was full.
                world.expect(found.count <= 1, "'\(description)' is stored \(found.count) times.")
            }
            try checkContent(found, draft)
        }
        for (description, draft) in content.imported.sorted(by: { $0.key < $1.key }) {
            let found = stored[description] ?? []
            world.expect(found.count == 1, "'\(description)' is stored \(found.count) times.")
            try checkContent(found, draft)
        }
        for order in content.orders {
            let found = stored[order.draft.description] ?? []
            world.expect(found.count == order.count, "'\(order.draft.description)' is stored \(found.count) times.")
            world.expect(
                Set(found.map(\.origin)).count == found.count, "'\(order.draft.description)' has equal payments.")
        }
        let names = Set(content.sent.keys).union(content.imported.keys).union(content.orders.map(\.draft.description))
        let unknown = Set(stored.keys).subtracting(names).sorted()
        world.expect(unknown.isEmpty, "No client has sent \(unknown).")
        checkReversals(transactions, content)
    }

    private func checkContent(_ transactions: [Transaction], _ draft: TransactionDraft) throws {
        let postings = try draft.balanced()
        for transaction in transactions {
            let isAsSent = transaction.postings == postings && transaction.date == draft.date
            world.expect(isAsSent, "'\(draft.description)' is stored as \(transaction.date) \(transaction.postings).")
        }
    }

    private func checkReversals(_ transactions: [Transaction], _ content: LedgerRecord.Content) {
        let reversals = Dictionary(grouping: transactions.filter { $0.reverses != nil }) { $0.reverses ?? $0.id }
        for transaction in transactions {
            let found = (reversals[transaction.id] ?? []).map(\.id)
            world.expect(
                found == [transaction.reversedBy].compactMap(\.self),
                "'\(transaction.description)' is reversed by \(found), and names \(String(describing: transaction.reversedBy))."
            )
            if !found.isEmpty, !content.reversing.contains(transaction.id) {
                world.fail("No client has reversed '\(transaction.description)'.")
            }
            if let acknowledged = content.reversals[transaction.id] {
                world.expect(
                    found == [acknowledged],
                    "'\(transaction.description)' is reversed by \(found), not by \(acknowledged).")
            }
        }
    }

    /// The receiver had each transaction, and each always with the same key.
    private func checkWebhook(_ transactions: [Transaction]) {
        let calls = Dictionary(grouping: receiver.effects, by: \.operation).mapValues { Set($0.map(\.key)) }
        let expected = Set(transactions.map { "\($0.id)" })
        let missing = expected.symmetricDifference(calls.keys).sorted()
        world.expect(missing.isEmpty, "The receiver and the books differ in \(missing).")
        for (transaction, keys) in calls.sorted(by: { $0.key < $1.key }) where keys.count != 1 {
            world.fail("The receiver had '\(transaction)' with \(keys.count) keys.")
        }
        world.expect(
            Set(calls.values.flatMap(\.self)).count == calls.count, "The receiver had two transactions with one key.")
    }

    // MARK: Computed values

    /// The log, the daily statements, the monthly changes, and the counts of the accounts agree with the transactions.
    private func checkComputed(_ transactions: [Transaction]) async throws {
        let log = try await world.store.events(after: 0, limit: .max).map(\.event)
        let posted = try log.filter { $0.name == TransactionPosted.eventName }
            .map { try JSONDecoder().decode(TransactionPosted.self, from: $0.json) }
        world.expect(
            posted.map { "\($0.transaction)" }.sorted() == transactions.map { "\($0.id)" }.sorted(),
            "The log has \(posted.count) transactions, the books \(transactions.count).")

        var days: [String: Quantity] = [:]
        var months: [String: Quantity] = [:]
        for event in posted {
            for posting in event.postings {
                let (account, commodity) = (posting.account, posting.amount.commodity)
                let day = DailyStatement.id(of: account, in: commodity, on: event.date)
                let month = MonthlyChange(in: String(event.date.description.prefix(7)), of: commodity, in: account).id
                try days.add(posting.amount.quantity, at: day)
                try months.add(posting.amount.quantity, at: month)
            }
        }
        let context = EntityContext(world.store)
        let statements = try await context.fetch(DailyStatement.self).map { ($0.id, $0.change) }
        compare(Dictionary(statements) { first, _ in first }, with: days, "daily statements")
        let rows = try await LedgerClient(number: 0, ledger: self).monthlyChanges()
        compare(rows, with: months, "monthly changes")

        let counts = try await context.fetch(Account.self).map(\.transactionCount)
        let count = counts.reduce(0, +)
        world.expect(count == transactions.count, "The accounts count \(count) of \(transactions.count) transactions.")
    }

    private func compare(_ found: [String: Quantity], with expected: [String: Quantity], _ name: String) {
        let (found, expected) = (found.filter { !$0.value.isZero }, expected.filter { !$0.value.isZero })
        let keys = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
        world.expect(
            keys.isEmpty,
            "The \(name) differ from the log: "
                + keys.map { "\($0): \(found[$0] ?? .zero), not \(expected[$0] ?? .zero)" }.joined(separator: "; "))
    }
}

extension LedgerClient {
    /// The monthly changes that a server answers when its projections have read the whole log, by their identifiers.
    func monthlyChanges() async throws -> [String: Quantity] {
        try await request { container in
            let projections: Projections = container.resolve()
            try await projections.untilCurrent()
            let rows = try await projections.read(MonthlyChange.projection) { rows in try await rows.fetch() }
            return Dictionary(rows.map { ($0.id, $0.change) }) { first, _ in first }
        }
    }
}

extension [String: Quantity] {
    fileprivate mutating func add(_ quantity: Quantity, at key: String) throws {
        self[key] = try (self[key] ?? .zero).adding(quantity)
    }
}
#endif
