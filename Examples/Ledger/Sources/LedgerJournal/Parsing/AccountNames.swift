// SPDX-License-Identifier: Apache-2.0

/// The names of accounts in a journal, with the effects of the directives `apply account` and `alias`.
///
/// A short journal could make long names for many postings, so the directives have limits.
struct AccountNames {
    /// Maximum length of a name in bytes, and of all parents together.
    static let maximumLength = 4096

    /// Maximum number of levels of a name.
    static let maximumLevelCount = 100

    /// Maximum number of aliases at one time.
    static let maximumAliasCount = 1000

    /// Maximum length of all aliases at one time in bytes.
    static let maximumAliasLength = 64 << 10

    /// The bytes that a step of a regular expression counts for, because it takes as much time.
    private static let stepCost = 4

    /// The reason why a name is refused.
    enum Refusal: Error {
        /// The name has too many bytes or levels.
        case tooLong

        /// The directives have added too many bytes to the names of the journal.
        case overAllowance

        /// The aliases have left nothing of the name.
        case empty
    }

    private enum Alias {
        /// The old and the new name, which also rename subaccounts.
        case name([UInt8], [UInt8])

        /// A regular expression, and the text in place of its matches.
        case pattern(NamePattern, NamePattern.Replacement)
    }

    /// The parents that are in effect, each with those before it and a colon at its end.
    private var parents: [[UInt8]] = []
    private var aliases: [Alias] = []
    private var aliasLength = 0

    /// The names that the directives in effect have made, by the bytes of the written names.
    ///
    /// Postings to the same account share one string.
    private var made: [[UInt8]: String] = [:]

    /// Number of bytes that the directives may still add to names.
    ///
    /// Bytes that aliases replace, comparisons with aliases, and the steps of regular expressions count as well, because
    /// they take time.
    private var allowance = 16 << 20

    /// Starts a journal of `length` bytes.
    init(journalLength length: Int) {
        extendAllowance(for: length)
    }

    /// Allows more bytes for an included file of `length` bytes.
    mutating func extendAllowance(for length: Int) {
        allowance += 4 * length
    }

    /// Continues with the allowance that an included file has left.
    mutating func continueAllowance(of included: AccountNames) {
        allowance = included.allowance
    }

    /// Puts the accounts from here on below `parent`, and returns whether all parents together are short enough.
    mutating func begin(_ parent: String) -> Bool {
        let all = (parents.last ?? []) + Array(parent.utf8) + [UInt8(ascii: ":")]
        parents.append(all)
        made = [:]
        return all.count <= Self.maximumLength
    }

    /// Ends the last parent, and returns whether there was one.
    mutating func endParent() -> Bool {
        made = [:]
        return parents.popLast() != nil
    }

    /// Renames `old` and its subaccounts from here on, and returns whether there are few enough aliases.
    mutating func rename(_ old: String, to new: String) -> Bool {
        add(.name(Array(old.utf8), Array(new.utf8)), length: old.utf8.count + new.utf8.count)
    }

    /// Replaces the matches of a regular expression from here on, and returns whether there are few enough aliases.
    ///
    /// - Throws: `NamePattern.Defect`.
    mutating func replaceMatches(
        of pattern: some StringProtocol, with text: some StringProtocol
    ) throws(NamePattern.Defect) -> Bool {
        let parsed = try NamePattern(pattern)
        let replacement = try NamePattern.Replacement(text, of: parsed)
        return add(.pattern(parsed, replacement), length: pattern.utf8.count + text.utf8.count)
    }

    private mutating func add(_ alias: Alias, length: Int) -> Bool {
        aliases.append(alias)
        aliasLength += length
        made = [:]
        return aliases.count <= Self.maximumAliasCount && aliasLength <= Self.maximumAliasLength
    }

    /// Ends all aliases.
    mutating func endAliases() {
        aliases = []
        aliasLength = 0
        made = [:]
    }

    /// Returns the name of the account that is written as `account`.
    ///
    /// Parents come first, then the aliases, the latest first. Each alias changes the name that the later ones have
    /// made.
    mutating func name(of account: String) throws(Refusal) -> String {
        if parents.isEmpty && aliases.isEmpty {
            try Self.check(account.utf8)
            return account
        }
        let written = Array(account.utf8)
        let name: String
        if let known = made[written] {
            name = known
        } else {
            name = try make(written)
            made[written] = name
        }
        try spend(name.utf8.count - written.count)
        return name
    }

    private mutating func make(_ written: [UInt8]) throws(Refusal) -> String {
        var name = (parents.last ?? []) + written
        try Self.check(name)
        try spend(aliases.count)
        for alias in aliases.reversed() {
            switch alias {
            case .name(let old, let new):
                guard Self.isAccount(name, in: old) else { continue }
                name = new + name.dropFirst(old.count)
                try Self.check(name)
                try spend(name.count)
            case .pattern(let pattern, let replacement):
                name = Array(try replaced(String(decoding: name, as: UTF8.self), pattern, replacement).utf8)
                try Self.check(name)
            }
        }
        // hledger ignores brackets that an alias adds.
        if let first = name.first, name.count > 1,
            (first, name[name.count - 1]) == (.openParenthesis, .closeParenthesis)
                || (first, name[name.count - 1]) == (.openBracket, .closeBracket)
        {
            name = Array(name.dropFirst().dropLast())
        }
        guard name.contains(where: { !$0.isASCIISpace }) else { throw .empty }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func replaced(
        _ name: String, _ pattern: NamePattern, _ replacement: NamePattern.Replacement
    ) throws(Refusal) -> String {
        var budget = NamePattern.Budget(steps: allowance / Self.stepCost)
        defer { allowance = budget.steps * Self.stepCost }
        do {
            return try pattern.replacingMatches(in: name, with: replacement, &budget)
        } catch {
            throw .overAllowance
        }
    }

    /// Whether `name` is `account` or a subaccount of it.
    private static func isAccount(_ name: [UInt8], in account: [UInt8]) -> Bool {
        guard name.count >= account.count else { return false }
        return (name.count == account.count || name[account.count] == .colon) && name.starts(with: account)
    }

    private mutating func spend(_ count: Int) throws(Refusal) {
        allowance -= max(0, count)
        if allowance < 0 { throw .overAllowance }
    }

    private static func check(_ name: some Collection<UInt8>) throws(Refusal) {
        // Most names are too short to have too many levels.
        if name.count < maximumLevelCount { return }
        guard name.count <= maximumLength, name.count(where: { $0 == UInt8(ascii: ":") }) < maximumLevelCount else {
            throw .tooLong
        }
    }
}
