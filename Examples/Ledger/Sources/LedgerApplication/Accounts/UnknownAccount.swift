// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// An error that is thrown if the ledger has no account with a given name.
public struct UnknownAccount: Error, Sendable, CustomStringConvertible {
    /// The name.
    public let account: String

    /// The names of all accounts.
    public let known: [String]

    /// The cause and the remedy, with similar names.
    public var description: String {
        let wanted = account.lowercased().composed
        let similar = known.filter { $0.lowercased().composed.contains(wanted) }.prefix(3).map { "'\($0)'" }
        let hint =
            similar.isEmpty
            ? "'ledger accounts' lists all accounts" : "did you mean \(similar.joined(separator: ", "))?"
        return "The ledger has no account '\(account)'. To fix, give its full name: \(hint)"
    }
}
