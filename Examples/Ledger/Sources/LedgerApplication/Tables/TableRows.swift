// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LedgerBooks

extension GetTransaction.Posted {
    /// The columns of a table of transactions.
    public static let columns = [
        "transaction", "date", "status", "code", "description", "comment", "account", "commodity", "amount",
        "unit_cost", "total_cost", "reverses", "reversed_by",
    ]

    /// Returns one row for each posting.
    ///
    /// - Parameter format: Returns the quantity of an amount with the digits to show.
    /// - Returns: The rows, in the order of the postings.
    public func rows(_ format: (Amount) -> Quantity = \.quantity) -> [[TableCell]] {
        postings.map { posting in
            let costs: [TableCell] =
                switch posting.cost {
                case .unit(let price): [.text("\(price)"), .text("")]
                case .total(let price): [.text(""), .text("\(price)")]
                case nil: [.text(""), .text("")]
                }
            return [
                .text(id.uuidString), .text(date.description), .text(status.rawValue), .text(code), .text(description),
                .text(comment), .text(posting.account), .text(posting.amount.commodity),
                .number(format(posting.amount)),
            ] + costs + [.text(reverses?.uuidString ?? ""), .text(reversedBy?.uuidString ?? "")]
        }
    }
}

extension GetRegister.Entry {
    /// The columns of a table of postings to an account.
    public static let columns = ["transaction", "date", "description", "account", "commodity", "amount", "balance"]

    /// Returns the row of the posting.
    ///
    /// - Parameter format: Returns the quantity of an amount with the digits to show.
    /// - Returns: The cells, in the order of ``columns``.
    public func row(_ format: (Amount) -> Quantity = \.quantity) -> [TableCell] {
        [
            .text(transaction.uuidString), .text(date.description), .text(description), .text(account),
            .text(amount.commodity), .number(format(amount)), .number(format(Amount(total, amount.commodity))),
        ]
    }
}

extension GetRegisterPage.Line {
    /// Returns the postings with the balances after them, the last posting first.
    ///
    /// - Throws: `QuantityError` if a balance has too many digits.
    public func entries() throws -> [GetRegister.Entry] {
        var balances = Dictionary(uniqueKeysWithValues: balance.map { ($0.commodity, $0.quantity) })
        return try postings.reversed().map { posting in
            let amount = posting.amount
            let total = balances[amount.commodity] ?? .zero
            balances[amount.commodity] = try total.subtracting(amount.quantity)
            return GetRegister.Entry(
                transaction: transaction,
                date: date,
                description: description,
                account: posting.account,
                amount: amount,
                total: total
            )
        }
    }
}
