//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

extension Journal {
    /// Checks all balance assertions of the journal, starting with empty accounts.
    ///
    /// Postings are summed in the order of their dates and, within a day, in the order of the journal. Balances are
    /// compared exactly, one commodity at a time, without subaccounts. A transaction that can't be balanced ends the
    /// check without an error, because posting the transaction reports that error.
    ///
    /// Related hledger documentation: <https://hledger.org/1.25/hledger.html>
    ///
    /// - Complexity: O(*n* log *n*) in the number of transactions; O(*n*) if there are no assertions.
    /// - Throws: ``JournalError`` with the code ``JournalError/Code/failedAssertion`` for the first assertion that
    ///   fails.
    func checkAssertions() throws(JournalError) {
        var balances: [Holding: Quantity] = [:]
        for entry in entries {
            for assertion in entry.assertions {
                balances[entry.holding(of: assertion)] = .zero
            }
        }
        guard !balances.isEmpty else { return }

        let order = entries.indices.sorted { left, right in
            (entries[left].transaction.date, left) < (entries[right].transaction.date, right)
        }
        for index in order {
            guard let postings = try? entries[index].transaction.balanced() else { return }
            try check(entries[index], postings, &balances)
        }
    }

    private func check(
        _ entry: Entry, _ postings: [Posting], _ balances: inout [Holding: Quantity]
    ) throws(JournalError) {
        let drafts = entry.transaction.postings
        var assertions = entry.assertions[...]
        var next = 0
        for (index, draft) in drafts.enumerated() {
            // An omitted amount may have become several postings.
            let count = draft.amount == nil ? postings.count - drafts.count + 1 : 1
            for posting in postings[next..<next + count] {
                let holding = Holding(account: posting.account, commodity: posting.amount.commodity)
                guard let balance = balances[holding] else { continue }
                guard let sum = try? balance.adding(posting.amount.quantity) else { return }
                balances[holding] = sum
            }
            next += count
            while let assertion = assertions.first, assertion.posting == index {
                assertions.removeFirst()
                let actual = balances[entry.holding(of: assertion)] ?? .zero
                guard actual == assertion.balance.quantity else {
                    throw failure(of: assertion, in: draft.account, actual: actual)
                }
            }
        }
    }

    private func failure(of assertion: Assertion, in account: String, actual: Quantity) -> JournalError {
        JournalError(
            code: .failedAssertion,
            file: file,
            line: assertion.line,
            column: nil,
            excerpt: "= \(assertion.balance)",
            message: "The balance of '\(account)' is \(Amount(actual, assertion.balance.commodity)) here. "
                + "To fix, correct the earlier postings, or the asserted balance."
        )
    }
}

/// An account and a commodity.
private struct Holding: Hashable {
    let account: String
    let commodity: String
}

extension Journal.Entry {
    fileprivate func holding(of assertion: Journal.Assertion) -> Holding {
        Holding(account: transaction.postings[assertion.posting].account, commodity: assertion.balance.commodity)
    }
}
