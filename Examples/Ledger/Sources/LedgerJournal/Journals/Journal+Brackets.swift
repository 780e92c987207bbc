// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension Journal.Entry {
    /// Returns the postings of one kind: for each written posting, the postings that it stands for.
    ///
    /// An omitted amount stands for one posting for each commodity, or for none.
    ///
    /// - Throws: `PostingRefusal` if the postings don't balance.
    func postings(of kind: WrittenPosting.Kind) throws -> [[Posting]] {
        let drafts = written.filter { $0.kind == kind }.map(\.draft)
        // hledger accepts a lone posting if it has no amount, or an amount of zero.
        let isLoneZero = drafts.count == 1 && drafts[0].amount?.quantity.isZero != false
        if drafts.isEmpty || kind == .unbalanced || isLoneZero {
            return drafts.map { draft in
                draft.amount.map { [Posting(account: draft.account, amount: $0, cost: draft.cost)] } ?? []
            }
        }
        var part = transaction
        part.postings = drafts
        var postings = try part.balanced()[...]
        let elidedCount = postings.count - drafts.count + 1
        return drafts.map { draft in
            let count = draft.amount == nil ? elidedCount : 1
            defer { postings = postings.dropFirst(count) }
            return Array(postings.prefix(count))
        }
    }

    /// Returns the postings that each written posting stands for.
    ///
    /// - Throws: `PostingRefusal` if the postings don't balance.
    func parts() throws -> [[Posting]] {
        var groups: [WrittenPosting.Kind: ArraySlice<[Posting]>] = [:]
        for kind in [WrittenPosting.Kind.real, .unbalanced, .bracketed] { groups[kind] = try postings(of: kind)[...] }
        return written.map { groups[$0.kind]?.popFirst() ?? [] }
    }

    /// Throws if the postings in brackets don't balance each other.
    ///
    /// Postings whose amounts are still to be computed are not checked.
    func checkBrackets(in file: String) throws(JournalError) {
        guard let first = written.first(where: { $0.kind == .bracketed }) else { return }
        guard !written.contains(where: { $0.kind == .bracketed && $0.isAssignment }) else { return }
        do {
            _ = try postings(of: .bracketed)
        } catch {
            throw JournalError(
                code: .virtualPosting,
                file: file,
                line: first.line,
                column: nil,
                excerpt: first.draft.account,
                message: "The postings in brackets must balance each other. \(error)"
            )
        }
    }
}
