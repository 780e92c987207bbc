// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// The accounts of one type in a report.
public struct ReportSection: Sendable, Hashable {
    /// An account.
    public struct Line: Sendable, Hashable {
        /// The full name of the account, or of its parent at the depth of the report.
        public let account: String

        /// The amounts that aren't zero, ordered by commodity.
        public let amounts: [Amount]
    }

    /// The type of the accounts.
    public let type: AccountType

    /// The accounts with amounts, ordered by name.
    public let lines: [Line]

    /// The sums of the lines that aren't zero, ordered by commodity.
    public let total: [Amount]

    /// Creates the section of a type from `totals`.
    ///
    /// If the balances of the type are mostly negative, the section has the opposite amounts.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    init(_ type: AccountType, of totals: AccountTotals, with types: AccountTypes, depth: Int?) throws {
        self.type = type
        var total: [String: Quantity] = [:]
        var lines: [Line] = []
        for (account, sums) in try totals.amounts(depth: depth, where: { types[$0] == type }) {
            let quantities = type.isMostlyNegative ? sums.mapValues(\.negated) : sums
            try total.add(quantities)
            let amounts = quantities.amounts
            if !amounts.isEmpty { lines.append(Line(account: account, amounts: amounts)) }
        }
        self.lines = lines
        self.total = total.amounts
    }

    /// Returns the total of this section minus the total of `other`.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    func minus(_ other: ReportSection) throws -> [Amount] {
        var net: [String: Quantity] = [:]
        for amount in total + other.total.map(\.negated) { try net.add(amount) }
        return net.amounts
    }
}

extension AccountTotals {
    /// The names of the accounts with amounts and without a type.
    func untyped(_ types: AccountTypes) throws -> [String] {
        try amounts(depth: nil) { types[$0] == nil }
            .filter { !$0.quantities.amounts.isEmpty }
            .map(\.account)
    }
}
