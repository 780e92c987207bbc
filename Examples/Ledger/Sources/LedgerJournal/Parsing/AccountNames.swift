//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The changes of account names by the directives `apply account` and `alias`.
struct AccountNames {
    /// Maximum length of a changed name in bytes.
    ///
    /// Without it, a short journal could write names without bounds.
    static let maximumLength = 4096

    /// Maximum number of aliases at one time.
    static let maximumAliasCount = 1000

    private struct Alias {
        let old: [UInt8]
        let new: [UInt8]
    }

    private var parents: [String] = []
    private var aliases: [Alias] = []

    /// Puts the accounts from here on below `parent`.
    mutating func begin(_ parent: String) {
        parents.append(parent)
    }

    /// Ends the last parent, and returns whether there was one.
    mutating func endParent() -> Bool {
        parents.popLast() != nil
    }

    /// Renames `old` and its subaccounts from here on, and returns whether there are few enough aliases.
    mutating func rename(_ old: String, to new: String) -> Bool {
        aliases.append(Alias(old: Array(old.utf8), new: Array(new.utf8)))
        return aliases.count <= Self.maximumAliasCount
    }

    /// Ends all aliases.
    mutating func endAliases() {
        aliases = []
    }

    /// Returns the name of the account that is written as `account`; `nil` if it is too long.
    ///
    /// Parents come first, then the aliases, the latest first. Each alias changes the name that the later ones have
    /// made.
    func name(of account: String) -> String? {
        if parents.isEmpty && aliases.isEmpty { return account }
        var name = Array((parents + [account]).joined(separator: ":").utf8)
        for alias in aliases.reversed() where name.starts(with: alias.old) {
            let rest = name.dropFirst(alias.old.count)
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { continue }
            name = alias.new + rest
            if name.count > Self.maximumLength { return nil }
        }
        return name.count > Self.maximumLength ? nil : String(decoding: name, as: UTF8.self)
    }
}
