// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// An account in a report, with its amounts.
struct AccountLine: Equatable {
    /// The full name of the account.
    let account: String

    /// The name in a table: the last level, indented, in a tree.
    let label: String

    /// The amounts that aren't zero, ordered by commodity.
    let amounts: [Amount]

    /// Creates a line with the full name.
    init(_ account: String, _ amounts: [Amount]) {
        self.init(account, label: account, amounts)
    }

    private init(_ account: String, label: String, _ amounts: [Amount]) {
        self.account = account
        self.label = label
        self.amounts = amounts
    }

    /// Returns a line for each account and for each of its parents, with the sums of their subaccounts.
    ///
    /// An account without amounts has a line, too, if it is the parent of another.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    static func tree(_ lines: [AccountLine]) throws -> [AccountLine] {
        var sums: [[Substring]: [String: Quantity]] = [:]
        for line in lines {
            let levels = line.account.split(separator: ":", omittingEmptySubsequences: false)
            for count in levels.indices.map({ $0 + 1 }) {
                var sum = sums[Array(levels.prefix(count))] ?? [:]
                for amount in line.amounts { try sum.add(amount) }
                sums[Array(levels.prefix(count))] = sum
            }
        }
        return sums.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { levels, sum in
            AccountLine(
                levels.joined(separator: ":"),
                label: String(repeating: "  ", count: levels.count - 1) + (levels.last ?? ""),
                sum.amounts
            )
        }
    }

    /// Returns a line for each account, ordered by its name, with the sums of its amounts.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    static func merged(_ lines: [AccountLine]) throws -> [AccountLine] {
        var sums: [String: [String: Quantity]] = [:]
        for line in lines {
            for amount in line.amounts { try sums[line.account, default: [:]].add(amount) }
        }
        return sums.sorted { $0.key < $1.key }.map { AccountLine($0.key, $0.value.amounts) }
    }

    /// Returns the sums of the amounts of `lines`.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    static func total(of lines: [AccountLine]) throws -> [Amount] {
        var sum: [String: Quantity] = [:]
        for amount in lines.flatMap(\.amounts) { try sum.add(amount) }
        return sum.amounts
    }
}
