//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

/// The balances of the accounts for which a journal claims a balance.
struct RunningBalances {
    private typealias Balances = [String: Quantity]

    /// The balances by account, without subaccounts.
    private var own: [String: Balances] = [:]

    /// The balances by account, with subaccounts.
    private var inclusive: [String: Balances] = [:]

    /// Creates zero balances for the claims of `entries`.
    init(claimedIn entries: [Journal.Entry]) {
        for posting in entries.lazy.flatMap(\.written) {
            guard let claim = posting.claim else { continue }
            own[posting.draft.account] = [:]
            if claim.isInclusive { inclusive[posting.draft.account] = [:] }
        }
    }

    /// Adds an amount to the balance of an account.
    ///
    /// - Throws: `QuantityError` if a balance has too many digits.
    mutating func add(_ amount: Amount, to account: String) throws {
        try Self.add(amount, to: account, in: &own)
        guard !inclusive.isEmpty else { return }
        try Self.add(amount, to: account, in: &inclusive)
        for index in account.utf8.indices where account.utf8[index] == UInt8(ascii: ":") {
            try Self.add(amount, to: String(account[..<index]), in: &inclusive)
        }
    }

    private static func add(_ amount: Amount, to account: String, in table: inout [String: Balances]) throws {
        guard let index = table.index(forKey: account) else { return }
        let sum = try (table.values[index][amount.commodity] ?? .zero).adding(amount.quantity)
        table.values[index][amount.commodity] = sum
    }

    /// Returns the amounts that are missing until `claim` holds, by commodity; empty if it holds.
    ///
    /// - Throws: `QuantityError` if a difference has too many digits.
    func difference(to claim: WrittenPosting.Claim, of account: String) throws -> [Amount] {
        let balances = (claim.isInclusive ? inclusive : own)[account] ?? [:]
        let commodity = claim.balance.commodity
        let quantity = try claim.balance.quantity.subtracting(balances[commodity] ?? .zero)
        var amounts = [Amount(quantity, commodity)]
        if claim.isTotal {
            let others = balances.filter { $0.key != commodity }.sorted { $0.key < $1.key }
            amounts += others.map { Amount($0.value.negated, $0.key) }
        }
        return amounts.filter { !$0.quantity.isZero }
    }

    /// Whether `claim` holds.
    ///
    /// With subaccounts, the other commodities of `==*` are those of the account itself, as in hledger.
    ///
    /// - Throws: `QuantityError` if a difference has too many digits.
    func fulfil(_ claim: WrittenPosting.Claim, of account: String) throws -> Bool {
        let own = own[account] ?? [:]
        return try difference(to: claim, of: account).allSatisfy { amount in
            amount.commodity != claim.balance.commodity && own[amount.commodity]?.isZero != false
        }
    }

    /// Whether subaccounts of `account` have a balance in another commodity than `commodity`.
    func subaccountsHave(otherThan commodity: String, below account: String) -> Bool {
        let own = own[account] ?? [:]
        return (inclusive[account] ?? [:]).contains { $0.key != commodity && $0.value != own[$0.key] ?? .zero }
    }

    /// The balance that `claim` is about, as text.
    func text(for claim: WrittenPosting.Claim, of account: String) -> String {
        let balances = (claim.isInclusive ? inclusive : own)[account] ?? [:]
        let commodity = claim.balance.commodity
        let others = balances.filter { claim.isTotal && $0.key != commodity && !$0.value.isZero }
        let amounts =
            [Amount(balances[commodity] ?? .zero, commodity)]
            + others.sorted { $0.key < $1.key }.map { Amount($0.value, $0.key) }
        return amounts.map(\.description).joined(separator: ", ")
    }
}
