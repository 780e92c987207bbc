//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

extension JournalReader {
    /// Reads a posting and its balance assertion, starting at the first byte that isn't white space.
    func readPosting(_ line: inout LineCursor) throws(JournalError) -> (posting: PostingDraft, balance: Amount?) {
        let status = line.readStatus()
        line.skipSpaces()
        let account = try readAccount(&line)
        var posting = PostingDraft(account: account, status: status)
        var balance: Amount?
        if let next = line.next, next != .semicolon {
            try refuseUnsupported(at: line)
            guard next != .equalsSign else {
                throw failure(
                    .balanceAssignment,
                    at: line,
                    "Balance assignments aren't supported. To fix, write the amount before the '='."
                )
            }
            posting.amount = try readAmount(&line)
            line.skipSpaces()
            try refuseUnsupported(at: line)
            posting.cost = try readCost(&line)
            line.skipSpaces()
            try refuseUnsupported(at: line)
            balance = try readAssertion(&line)
            line.skipSpaces()
        }
        if line.skip(.semicolon) {
            posting.comment = line.trimmedText(upTo: line.end)
        } else if !line.isAtEnd {
            throw failure(
                .invalidAmount,
                at: line,
                "There is text after the amount. To fix, start a comment with ';', or write a commodity "
                    + "with digits, spaces, or punctuation in double quotes."
            )
        }
        return (posting, balance)
    }

    /// Reads an amount with an optional cost, up to the end of the input.
    mutating func readLoneAmount() throws(JournalError) -> (amount: Amount, cost: Cost?) {
        let range = try nextLine() ?? 0..<0
        var line = LineCursor(bytes: bytes, range: range)
        line.skipSpaces()
        let amount = try readAmount(&line)
        line.skipSpaces()
        try refuseUnsupported(at: line)
        let cost = try readCost(&line)
        line.skipSpaces()
        guard line.isAtEnd, range.upperBound == bytes.count else {
            throw failure(
                .invalidAmount,
                at: line,
                "There is text after the amount. To fix, write a commodity with digits, spaces, or punctuation in quotes."
            )
        }
        return (amount, cost)
    }

    /// Reads a balance after `=`.
    ///
    /// Returns nil if there is none.
    private func readAssertion(_ line: inout LineCursor) throws(JournalError) -> Amount? {
        let start = line
        guard line.skip(.equalsSign) else { return nil }
        guard line.next != .equalsSign, line.next != .asterisk else {
            throw failure(
                .unsupportedAssertion,
                at: start,
                "Of the balance assertions, only '=' is supported. To fix, replace this assertion, or remove it."
            )
        }
        line.skipSpaces()
        return try readAmount(&line)
    }

    /// Reads the account and the white space after it.
    ///
    /// An account ends before two white-space characters, or with the line. A single space is part of it.
    private func readAccount(_ line: inout LineCursor) throws(JournalError) -> String {
        let start = line
        let first = line.position
        var last = first
        var hasWideSpace = false
        while !line.isAtEnd {
            let width = line.spaceLength(at: line.position)
            guard width > 0 else {
                line.position += 1
                last = line.position
                continue
            }
            let gap = line
            guard line.skipSpaces() == 1, !line.isAtEnd else { break }
            if gap.next == .tab {
                throw failure(
                    .tabInAccount,
                    at: gap,
                    "A single tab doesn't end an account. To fix, write two spaces or more before the amount."
                )
            }
            hasWideSpace = hasWideSpace || gap.next != .space
        }
        guard last > first else {
            throw failure(
                .missingAccount, at: start, "The posting has no account. To fix, write an account before the amount.")
        }
        let isVirtual =
            switch (line.bytes[first], line.bytes[last - 1]) {
            case (.openParenthesis, .closeParenthesis), (.openBracket, .closeBracket): true
            default: false
            }
        if isVirtual {
            throw failure(
                .virtualPosting,
                at: start,
                "Virtual postings aren't supported. To fix, remove the parentheses or brackets, or the line."
            )
        }
        return hasWideSpace ? line.textWithPlainSpaces(first..<last) : line.text(first..<last)
    }

    /// Reads a cost after `@` or `@@`.
    ///
    /// Returns nil if there is none.
    private func readCost(_ line: inout LineCursor) throws(JournalError) -> Cost? {
        guard line.skip(.at) else { return nil }
        let isTotal = line.skip(.at)
        line.skipSpaces()
        let price = try readAmount(&line)
        return isTotal ? .total(price) : .unit(price)
    }

    /// Throws if hledger syntax follows that isn't supported, such as lot prices.
    private func refuseUnsupported(at line: LineCursor) throws(JournalError) {
        switch line.next {
        case UInt8.openBrace?:
            throw failure(
                .lotPrice, at: line,
                "Lot prices aren't supported. To fix, remove the braces, or write the cost after '@'."
            )
        case UInt8.openParenthesis? where line.afterNext == .at:
            // hledger interprets a parenthesis after a number without a commodity as a commodity.
            throw failure(.invalidAmount, at: line, "Virtual costs aren't supported. To fix, write '@' or '@@'.")
        case UInt8.openBracket?:
            throw failure(.lotPrice, at: line, "Lot dates aren't supported. To fix, remove the brackets.")
        default:
            return
        }
    }
}

extension LineCursor {
    /// The text in `range`, with plain spaces instead of other white space, as in hledger.
    fileprivate func textWithPlainSpaces(_ range: Range<Int>) -> String {
        var plain: [UInt8] = []
        plain.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let width = spaceLength(at: offset)
            plain.append(width > 0 ? .space : bytes[offset])
            offset += max(width, 1)
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
