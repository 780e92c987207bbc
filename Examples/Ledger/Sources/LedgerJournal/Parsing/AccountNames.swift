//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    /// The reason why a name is refused.
    enum Refusal: Error {
        /// The name has too many bytes or levels.
        case tooLong

        /// The directives have added too many bytes to the names of the journal.
        case overAllowance
    }

    private struct Alias {
        let old: [UInt8]
        let new: [UInt8]

        /// Whether `name` is the old name or a subaccount of it.
        func applies(to name: [UInt8]) -> Bool {
            guard name.count >= old.count else { return false }
            return (name.count == old.count || name[old.count] == UInt8(ascii: ":")) && name.starts(with: old)
        }
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
    /// Bytes that aliases replace, and comparisons with aliases, count as well, because they take time.
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
        aliases.append(Alias(old: Array(old.utf8), new: Array(new.utf8)))
        aliasLength += old.utf8.count + new.utf8.count
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
        for alias in aliases.reversed() where alias.applies(to: name) {
            name = alias.new + name.dropFirst(alias.old.count)
            try Self.check(name)
            try spend(name.count)
        }
        return String(decoding: name, as: UTF8.self)
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
