// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import Testing

/// The quantity in `text`.
///
/// If there is none, records an issue and returns zero.
func quantity(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Quantity {
    if let quantity = Quantity(text) { return quantity }
    Issue.record("'\(text)' is no quantity", sourceLocation: sourceLocation)
    return .zero
}

/// The amount written as in `1.50 EUR`, or `1.50` for no commodity.
func amount(_ text: String) -> Amount {
    let parts = text.split(separator: " ")
    return Amount(quantity(String(parts[0])), parts.count > 1 ? String(parts[1]) : "")
}

/// A draft with the postings `a`, `b`, `c` and so on, each written as `amount`, `amount @ price`,
/// `amount @@ price`, or empty for an omitted amount.
func draft(_ postings: String...) -> TransactionDraft {
    draft(postings)
}

func draft(_ postings: [String]) -> TransactionDraft {
    guard let someDay = BookDate(year: 2024, month: 2, day: 29) else { preconditionFailure("2024 is a leap year") }
    let names = "abcdefghijklmnopqrstuvwxyz".map(String.init)
    return TransactionDraft(
        date: someDay,
        postings: zip(names, postings).map { name, text in
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " } }
            return PostingDraft(
                account: name,
                amount: text.isEmpty ? nil : amount(String(parts[0])),
                cost: parts.count == 2
                    ? .unit(amount(String(parts[1]))) : parts.count == 3 ? .total(amount(String(parts[2]))) : nil
            )
        }
    )
}

/// The balanced postings of `draft`, each written as `account amount` with the cost after it.
func written(_ postings: [Posting]) -> [String] {
    postings.map { posting in
        switch posting.cost {
        case nil: "\(posting.account) \(posting.amount)"
        case .unit(let price): "\(posting.account) \(posting.amount) @ \(price)"
        case .total(let price): "\(posting.account) \(posting.amount) @@ \(price)"
        }
    }
}

/// The refusal of `draft`.
///
/// If there is none, records an issue and returns nil.
func refusal(of draft: TransactionDraft, sourceLocation: SourceLocation = #_sourceLocation) -> PostingRefusal? {
    #expect(throws: PostingRefusal.self, sourceLocation: sourceLocation) { try draft.balanced() }
}
