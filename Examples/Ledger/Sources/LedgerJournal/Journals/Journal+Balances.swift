// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension Journal {
    /// Returns the journal with the amounts of its balance assignments, and without transactions that move nothing: those
    /// with virtual postings only, and those that have no amount, or a single one of zero.
    ///
    /// All balance assertions are checked. Accounts start empty. Postings, real and virtual, are summed in the order of
    /// their dates and, within a day, in the order of the journal. A posting with a date of its own is summed at that
    /// date, except in a transaction with a balance assignment: there, all postings are summed at the date of the
    /// transaction, and an omitted amount is summed last. Balances are compared exactly. Transactions that move nothing
    /// are skipped. If a transaction can't be balanced or counted, and a balance at its date or later is claimed, that
    /// is an error. If none is claimed, posting the transaction reports the error.
    ///
    /// Related hledger documentation: <https://hledger.org/1.25/hledger.html>
    ///
    /// - Complexity: O(*n* log *n*) in the number of postings; O(*n*) if no balance is claimed.
    /// - Throws: ``JournalError`` with the code ``JournalError/Code/failedAssertion`` for the first assertion that
    ///   fails or can't be checked, ``JournalError/Code/balanceAssignment`` if an amount can't be computed, or
    ///   ``JournalError/Code/virtualPosting`` if an assigned amount leaves postings in brackets unbalanced.
    func settled() throws -> Journal {
        var settled = entries
        if entries.contains(where: \.claimsBalances) {
            let steps = steps
            let order = steps.indices.sorted { (steps[$0].date, $0) < (steps[$1].date, $1) }
            var balances = RunningBalances(claimedIn: entries)
            for (rank, index) in order.enumerated() {
                let (step, entry) = (steps[index], entries[steps[index].entry])
                do {
                    if let posting = step.posting {
                        try settle(posting, as: step.parts, of: entry, &balances)
                    } else {
                        settled[step.entry] = try settle(entry, &balances)
                    }
                } catch let error as JournalError {
                    throw error
                } catch {
                    try requireNoClaim(among: order[rank...].map { steps[$0] }, after: entry, refusedAs: error)
                    break
                }
            }
        }
        var leftOut = leftOut
        let emptyCount = settled.count { $0.isEmpty }
        if emptyCount > 0 { leftOut["transaction without amounts"] = emptyCount }
        return Journal(
            file: file,
            entries: settled.filter { !$0.isVirtual && !$0.isEmpty },
            skippedDirectives: skippedDirectives,
            leftOut: leftOut,
            accountTypes: accountTypes
        )
    }

    /// A part of the journal that is summed at one date.
    private struct Step {
        let date: BookDate

        /// The position of the transaction.
        let entry: Int

        /// The posting; `nil` for all postings of the transaction.
        var posting: WrittenPosting?

        /// The postings that it stands for.
        var parts: [Posting] = []
    }

    /// The steps in the order of the journal: one for each transaction, or one for each posting if a posting of the
    /// transaction has its own date.
    private var steps: [Step] {
        entries.enumerated().flatMap { index, entry in
            let date = entry.transaction.date
            guard entry.hasPostingDates, !entry.assignsBalances, let parts = try? entry.parts() else {
                return [Step(date: date, entry: index)]
            }
            return zip(entry.written, parts).map { posting, parts in
                Step(date: posting.date ?? date, entry: index, posting: posting, parts: parts)
            }
        }
    }

    /// Adds `entry` to `balances`, and returns it with its assigned amounts.
    private func settle(_ entry: Entry, _ balances: inout RunningBalances) throws -> Entry {
        if entry.written.isEmpty {
            if entry.isEmpty { return entry }
            for posting in try entry.transaction.balanced() {
                try balances.add(posting.amount, to: posting.account)
            }
            return entry
        }
        if entry.assignsBalances { return try assign(entry, &balances) }

        for (posting, parts) in zip(entry.written, try entry.parts()) {
            try settle(posting, as: parts, of: entry, &balances)
        }
        return entry
    }

    /// Adds `parts`, the postings that `posting` stands for, to `balances`, and checks the claimed balance.
    private func settle(
        _ posting: WrittenPosting,
        as parts: [Posting],
        of entry: Entry,
        _ balances: inout RunningBalances
    ) throws {
        for part in parts { try balances.add(part.amount, to: part.account) }
        try check(posting, of: entry, balances)
    }

    /// Computes the assigned amounts of `entry`, and adds it to `balances`.
    private func assign(_ entry: Entry, _ balances: inout RunningBalances) throws -> Entry {
        var written: [WrittenPosting] = []
        for posting in entry.written {
            let account = posting.draft.account
            if let claim = posting.claim, posting.isAssignment {
                try requireSupport(for: posting, claiming: claim, of: entry, balances)
                let missing = try balances.difference(to: claim, of: account)
                for amount in missing.isEmpty ? [Amount(.zero, claim.balance.commodity)] : missing {
                    var assigned = posting
                    assigned.draft.amount = amount
                    assigned.isComputed = true
                    written.append(assigned)
                    try balances.add(amount, to: account)
                }
            } else {
                written.append(posting)
                if let amount = posting.draft.amount { try balances.add(amount, to: account) }
                try check(posting, of: entry, balances)
            }
        }
        let assigned = Entry(entry.transaction, written: written, file: entry.file, line: entry.line)
        try assigned.checkBrackets(in: entry.file ?? file)
        for kind in [WrittenPosting.Kind.real, .bracketed] {
            let drafts = written.filter { $0.kind == kind }.map(\.draft)
            guard drafts.contains(where: { $0.amount == nil }) else { continue }
            for (draft, postings) in zip(drafts, try assigned.postings(of: kind)) where draft.amount == nil {
                for posting in postings { try balances.add(posting.amount, to: posting.account) }
            }
        }
        return assigned
    }

    private func check(_ posting: WrittenPosting, of entry: Entry, _ balances: RunningBalances) throws {
        guard let claim = posting.claim else { return }
        let account = posting.draft.account
        guard try balances.fulfil(claim, of: account) else {
            let subaccounts = claim.isInclusive ? " with its subaccounts" : ""
            throw JournalError(
                code: .failedAssertion,
                file: entry.file ?? file,
                line: posting.line,
                column: nil,
                excerpt: claim.text,
                message: "The balance of '\(account)'\(subaccounts) is \(balances.text(for: claim, of: account)) here. "
                    + "To fix, correct the earlier postings, or the asserted balance."
            )
        }
    }

    /// Throws if the amount of `posting` can't be computed from `claim`.
    private func requireSupport(
        for posting: WrittenPosting,
        claiming claim: WrittenPosting.Claim,
        of entry: Entry,
        _ balances: RunningBalances
    ) throws(JournalError) {
        let account = posting.draft.account
        if posting.date != nil {
            throw unsupported(
                posting, of: entry,
                "A balance assignment with a posting date isn't supported. "
                    + "To fix, write the amount before the '=', or remove the date from the comment."
            )
        }
        // hledger 1.25 would subtract these commodities from the account.
        if claim.isInclusive, !claim.isTotal,
            balances.subaccountsHave(otherThan: claim.balance.commodity, below: account)
        {
            throw unsupported(
                posting, of: entry,
                "An amount from a balance with subaccounts isn't supported if they have other commodities. "
                    + "To fix, write the amount before the '='."
            )
        }
    }

    private func unsupported(_ posting: WrittenPosting, of entry: Entry, _ message: String) -> JournalError {
        JournalError(
            code: .balanceAssignment,
            file: entry.file ?? file,
            line: posting.line,
            column: nil,
            excerpt: posting.draft.account,
            message: message
        )
    }

    /// Throws if one of `steps`, which can't be settled, claims a balance.
    private func requireNoClaim(among steps: [Step], after refused: Entry, refusedAs error: any Error) throws {
        for step in steps {
            let entry = entries[step.entry]
            let postings = step.posting.map { [$0] } ?? entry.written
            guard let posting = postings.first(where: \.isAssignment) ?? postings.first(where: { $0.claim != nil })
            else { continue }
            let place = refused.file == entry.file ? "" : " of '\(refused.file ?? file)'"
            let purpose = posting.isAssignment ? "The amount can't be computed" : "The balance can't be checked"
            throw JournalError(
                code: posting.isAssignment ? .balanceAssignment : .failedAssertion,
                file: entry.file ?? file,
                line: posting.line,
                column: nil,
                excerpt: posting.draft.account,
                message:
                    "\(purpose), because the transaction on line \(refused.line)\(place) can't be counted. \(error)"
            )
        }
    }
}
