// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal

/// Patterns of which the name of an account must match one, and those after `not:`, of which it must match none.
///
/// As in hledger, a pattern is a regular expression that matches a part of the name, in upper or lower case. Without patterns, all
/// accounts match.
struct AccountPatterns {
    private let wanted: [NamePattern]
    private let unwanted: [NamePattern]
    private let texts: [String]

    /// Creates patterns.
    ///
    /// - Throws: ``AccountPatternError``.
    init(_ texts: [String]) throws {
        self.texts = texts
        wanted = try texts.filter { !$0.hasPrefix(Self.negation) }.map { try Self.pattern($0) }
        unwanted = try texts.filter { $0.hasPrefix(Self.negation) }
            .map { try Self.pattern(String($0.dropFirst(Self.negation.count))) }
    }

    /// Whether `account` matches.
    ///
    /// - Throws: ``AccountPatternError`` if that takes too long.
    func match(_ account: String) throws -> Bool {
        if texts.isEmpty { return true }
        let name = account.lowercased().composed
        var budget = NamePattern.Budget(steps: 1_000_000)
        do {
            let isWanted = try wanted.isEmpty || wanted.contains { try $0.matches(partOf: name, &budget) }
            return try isWanted && !unwanted.contains { try $0.matches(partOf: name, &budget) }
        } catch {
            let texts = texts.map { "'\($0)'" }.joined(separator: ", ")
            throw AccountPatternError(
                "\(texts) takes too long for the account '\(account)'. To fix, use a simpler pattern.")
        }
    }

    private static let negation = "not:"

    private static func pattern(_ text: String) throws -> NamePattern {
        do {
            return try NamePattern(text.lowercased().composed)
        } catch {
            throw AccountPatternError(
                "'\(text)' is no pattern: \(error.cause). To fix, write '\\' before a character without a special meaning."
            )
        }
    }
}

/// An error that is thrown if a pattern for account names can't be used.
public struct AccountPatternError: Error, CustomStringConvertible {
    /// The cause and the remedy, one sentence each.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    static func noMatch(of patterns: [String]) -> AccountPatternError {
        let texts = patterns.map { "'\($0)'" }.joined(separator: " or ")
        return AccountPatternError(
            "No account matches \(texts). To fix, use a part of a name: 'ledger accounts' lists all names.")
    }
}
