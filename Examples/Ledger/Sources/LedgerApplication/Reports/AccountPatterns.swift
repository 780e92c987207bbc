// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// Texts of which the name of an account must contain one, in upper or lower case.
///
/// Without texts, all accounts match.
struct AccountPatterns {
    private let patterns: [String]

    /// Creates patterns.
    init(_ patterns: [String]) {
        self.patterns = patterns.map { $0.lowercased().composed }
    }

    /// Whether `account` matches.
    func match(_ account: String) -> Bool {
        if patterns.isEmpty { return true }
        let name = account.lowercased().composed
        return patterns.contains { name.contains($0) }
    }
}
