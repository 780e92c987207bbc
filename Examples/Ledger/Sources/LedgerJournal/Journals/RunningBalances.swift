// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// The balances of the accounts for which a journal claims a balance.
struct RunningBalances {
    private var accounts: [String: ClaimedAccount] = [:]

    /// The numbers of levels of the accounts for which a balance with subaccounts is claimed.
    private var inclusiveLevels: Set<Int> = []

    /// Creates zero balances for the claims of `entries`.
    init(claimedIn entries: [Journal.Entry]) {
        for posting in entries.lazy.flatMap(\.written) {
            guard let claim = posting.claim else { continue }
            let name = posting.draft.account
            var account = accounts[name] ?? ClaimedAccount()
            if claim.isInclusive {
                account.inclusive = CommodityBalances()
                inclusiveLevels.insert(name.utf8.count { $0 == UInt8(ascii: ":") } + 1)
            }
            accounts[name] = account
        }
    }

    /// Adds an amount to the balance of an account.
    ///
    /// - Complexity: O(1) in the number of accounts and commodities.
    /// - Throws: `QuantityError` if a balance has too many digits.
    mutating func add(_ amount: Amount, to account: String) throws {
        try accounts[account]?.add(amount, isOwn: true)
        if inclusiveLevels.isEmpty { return }
        var level = 0
        for index in account.utf8.indices where account.utf8[index] == UInt8(ascii: ":") {
            level += 1
            if inclusiveLevels.contains(level) {
                try accounts[String(account[..<index])]?.add(amount, isOwn: false)
            }
        }
    }

    /// Returns the amounts that are missing until `claim` holds, by commodity; empty if it holds.
    ///
    /// - Throws: `QuantityError` if a difference has too many digits.
    func difference(to claim: WrittenPosting.Claim, of account: String) throws -> [Amount] {
        let balances = balances(for: claim, of: account)
        let commodity = claim.balance.commodity
        let quantity = try claim.balance.quantity.subtracting(balances[commodity])
        var amounts = quantity.isZero ? [] : [Amount(quantity, commodity)]
        if claim.isTotal { amounts += balances.nonzero(except: commodity).map(\.negated) }
        return amounts
    }

    /// Whether `claim` holds.
    ///
    /// With subaccounts, the other commodities of `==*` are those of the account itself, as in hledger.
    ///
    /// - Complexity: O(1) in the number of commodities.
    /// - Throws: `QuantityError` if a difference has too many digits.
    func fulfil(_ claim: WrittenPosting.Claim, of account: String) throws -> Bool {
        let commodity = claim.balance.commodity
        let quantity = balances(for: claim, of: account)[commodity]
        guard try claim.balance.quantity.subtracting(quantity).isZero else { return false }
        guard claim.isTotal, let account = accounts[account] else { return true }
        return !account.hasOthers(than: commodity, withSubaccounts: claim.isInclusive)
    }

    /// Whether subaccounts of `account` have a balance in another commodity than `commodity`.
    ///
    /// - Complexity: O(1) in the number of commodities.
    func subaccountsHave(otherThan commodity: String, below account: String) -> Bool {
        accounts[account]?.subaccountsHave(otherThan: commodity) == true
    }

    /// The balance that `claim` is about, as text.
    func text(for claim: WrittenPosting.Claim, of account: String) -> String {
        let balances = balances(for: claim, of: account)
        let commodity = claim.balance.commodity
        let others = claim.isTotal ? balances.nonzero(except: commodity) : []
        return ([Amount(balances[commodity], commodity)] + others).map(\.description).joined(separator: ", ")
    }

    private func balances(for claim: WrittenPosting.Claim, of account: String) -> CommodityBalances {
        let account = accounts[account]
        return (claim.isInclusive ? account?.inclusive : account?.own) ?? CommodityBalances()
    }
}

/// The balances of an account with claims.
///
/// Numbers of commodities are updated with each amount, so that a check of a claim doesn't depend on how many there are.
private struct ClaimedAccount {
    /// The balances without subaccounts.
    private(set) var own = CommodityBalances()

    /// The balances with subaccounts; `nil` if no claim is about them.
    var inclusive: CommodityBalances?

    /// Number of commodities with a balance both without and with subaccounts.
    private var sharedCount = 0

    /// Number of commodities of which the subaccounts together have a balance.
    private var subaccountCount = 0

    mutating func add(_ amount: Amount, isOwn: Bool) throws {
        let commodity = amount.commodity
        let before = (shared: shares(commodity), below: subaccountsHave(commodity))
        if isOwn { try own.add(amount) }
        try inclusive?.add(amount)
        sharedCount += (shares(commodity) ? 1 : 0) - (before.shared ? 1 : 0)
        subaccountCount += (subaccountsHave(commodity) ? 1 : 0) - (before.below ? 1 : 0)
    }

    /// Whether the account itself has a balance in another commodity than `commodity`.
    ///
    /// With subaccounts, a commodity counts only if its balance with subaccounts isn't zero, too.
    func hasOthers(than commodity: String, withSubaccounts: Bool) -> Bool {
        if withSubaccounts { return sharedCount > (shares(commodity) ? 1 : 0) }
        return own.nonzeroCount > (own.isZero(commodity) ? 0 : 1)
    }

    /// Whether the subaccounts have a balance in another commodity than `commodity`.
    func subaccountsHave(otherThan commodity: String) -> Bool {
        subaccountCount > (subaccountsHave(commodity) ? 1 : 0)
    }

    private func shares(_ commodity: String) -> Bool {
        inclusive.map { !$0.isZero(commodity) && !own.isZero(commodity) } ?? false
    }

    private func subaccountsHave(_ commodity: String) -> Bool {
        inclusive.map { $0[commodity] != own[commodity] } ?? false
    }
}

/// The balances of an account by commodity.
private struct CommodityBalances {
    /// The balances of all commodities that were added, also those of zero.
    ///
    /// A balance of zero keeps its number of digits, which is part of an amount that is computed from it.
    private var quantities: [String: Quantity] = [:]

    /// The commodities with a balance other than zero.
    private var nonzero: Set<String> = []

    /// Number of commodities with a balance other than zero.
    var nonzeroCount: Int { nonzero.count }

    subscript(commodity: String) -> Quantity { quantities[commodity] ?? .zero }

    func isZero(_ commodity: String) -> Bool { !nonzero.contains(commodity) }

    mutating func add(_ amount: Amount) throws {
        let sum = try self[amount.commodity].adding(amount.quantity)
        quantities[amount.commodity] = sum
        if sum.isZero {
            nonzero.remove(amount.commodity)
        } else {
            nonzero.insert(amount.commodity)
        }
    }

    /// The balances other than zero, sorted by commodity, without `commodity`.
    func nonzero(except commodity: String) -> [Amount] {
        nonzero.filter { $0 != commodity }.sorted().map { Amount(self[$0], $0) }
    }
}
