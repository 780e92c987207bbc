// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads the tag `type:` in the comment of a directive, the rest of `comment`, if the directive declares an account.
    mutating func readTypeTag(_ comment: LineCursor, of directive: BlockDirective) throws(JournalError) {
        guard case .account(let start) = directive, let tag = comment.value(of: "type") else { return }
        guard let type = AccountType(tag: tag) else {
            throw invalidDirective(
                at: comment,
                "The type of the account is unknown. To fix, use Asset, Liability, Equity, Revenue, Expense, Cash, "
                    + "Conversion, or the first letter (X for Expense, V for Conversion)."
            )
        }
        var line = start
        let account = try readAccount(&line).name
        accountTypes[account] = type
    }
}

extension LineCursor {
    /// Skips to the text of the comment after two spaces or more, and returns whether there is a comment.
    mutating func skipToComment() -> Bool {
        while !isAtEnd {
            if skipSpaces() > 1, skip(.semicolon) { return true }
            if !isAtEnd { position += 1 }
        }
        return false
    }

    /// The value of the first tag `name` in a comment, without white space at its ends; `nil` for none.
    ///
    /// The value ends with a comma.
    fileprivate func value(of name: String) -> String? {
        let tag = Array("\(name):".utf8)
        var offset = position
        while offset + tag.count <= end {
            let isWordStart =
                offset == position || bytes[offset - 1].isASCIISpace || bytes[offset - 1] == .comma
            if isWordStart, bytes[offset..<(offset + tag.count)].elementsEqual(tag) {
                var value = self
                value.position = offset + tag.count
                let limit = bytes[value.position..<end].firstIndex(of: .comma) ?? end
                return value.trimmedText(upTo: limit)
            }
            offset += 1
        }
        return nil
    }
}
