// SPDX-License-Identifier: Apache-2.0

/// The type of an account: its place in the income statement or in the balance sheet.
public enum AccountType: String, Sendable, Hashable, Codable, CaseIterable {
    case asset, liability, equity, income, expense

    /// The names of top-level accounts, in lower case.
    private static let roots: [Substring: AccountType] = [
        "asset": .asset, "assets": .asset,
        "debt": .liability, "debts": .liability, "liability": .liability, "liabilities": .liability,
        "equity": .equity,
        "income": .income, "incomes": .income, "revenue": .income, "revenues": .income,
        "expense": .expense, "expenses": .expense,
    ]

    /// Creates the type of the account `name`, in upper or lower case.
    ///
    /// Returns `nil` if the top-level account has none of these names: `assets`, `liabilities`, `debts`, `equity`,
    /// `income`, `revenues`, and `expenses`, all in the singular or plural.
    ///
    /// Related hledger documentation: <https://hledger.org/1.25/hledger.html#account-types>
    public init?(ofAccount name: String) {
        guard let type = Self.roots[name.lowercased().prefix { $0 != ":" }] else { return nil }
        self = type
    }

    /// The types by their letters and names in journals.
    private static let tags: [String: AccountType] = [
        "a": .asset, "asset": .asset, "c": .asset, "cash": .asset,
        "l": .liability, "liability": .liability,
        "e": .equity, "equity": .equity, "v": .equity, "conversion": .equity,
        "r": .income, "revenue": .income, "g": .income, "gain": .income,
        "x": .expense, "expense": .expense,
    ]

    /// Creates the type that a tag `type:` in a journal stands for, in upper or lower case; `nil` if there is none.
    ///
    /// Cash is an asset, a conversion is equity, and a gain is income.
    public init?(tag: String) {
        guard let type = Self.tags[tag.lowercased()] else { return nil }
        self = type
    }

    /// Whether the balance of an account of this type is mostly negative, so that reports show the opposite.
    public var isMostlyNegative: Bool {
        switch self {
        case .asset, .expense: false
        case .liability, .equity, .income: true
        }
    }
}
