// SPDX-License-Identifier: Apache-2.0

extension PostingDraft {
    /// Throws if the account has an empty level, or if a name has an invisible character that changes the direction of text.
    func checkNames() throws {
        if account.hasDirectionControl { throw PostingRefusal.directionControl(in: "account", account) }
        if account.hasEmptyLevel { throw PostingRefusal.emptyLevel(in: account) }
        for symbol in [amount?.commodity, cost?.price.commodity] {
            guard let symbol, symbol.hasDirectionControl else { continue }
            throw PostingRefusal.directionControl(in: "commodity", symbol)
        }
    }
}

extension String {
    /// Whether a level of this account name has only spaces, or nothing.
    fileprivate var hasEmptyLevel: Bool {
        var isEmpty = true
        for byte in utf8 {
            if byte == UInt8(ascii: ":") {
                if isEmpty { return true }
                isEmpty = true
            } else if byte != UInt8(ascii: " ") {
                isEmpty = false
            }
        }
        return isEmpty
    }

    /// Whether a character is invisible and changes the direction of the text after it.
    ///
    /// Names with such a character can look like other names.
    ///
    /// Related Unicode documentation: <https://www.unicode.org/reports/tr9/>
    fileprivate var hasDirectionControl: Bool {
        // All of them are above U+0600.
        utf8.contains { $0 >= 0xD8 } && unicodeScalars.contains(where: \.properties.isBidiControl)
    }
}
