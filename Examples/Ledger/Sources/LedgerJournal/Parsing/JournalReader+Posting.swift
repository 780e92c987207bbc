//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

extension JournalReader {
    /// Reads a posting from its first byte that is not white space, with the balance it claims, if any.
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
                    "Balance assignments are not supported. Write the amount before the '='."
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
                "Something follows the amount. Put a comment after ';', and a commodity "
                    + "with digits, spaces or punctuation in double quotes."
            )
        }
        return (posting, balance)
    }

    /// Reads an amount and perhaps a cost, and nothing else to the end of the input.
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
                "Something follows the amount. Put a commodity with digits, spaces or punctuation in double quotes."
            )
        }
        return (amount, cost)
    }

    /// Reads a balance after `=`, or returns nil where none follows.
    private func readAssertion(_ line: inout LineCursor) throws(JournalError) -> Amount? {
        let start = line
        guard line.skip(.equalsSign) else { return nil }
        guard line.next != .equalsSign, line.next != .asterisk else {
            throw failure(
                .unsupportedAssertion,
                at: start,
                "Of the balance assertions only '=' is supported. Replace this one, or remove it."
            )
        }
        line.skipSpaces()
        return try readAmount(&line)
    }

    /// Reads the account and the white space after it.
    ///
    /// An account ends before two characters of white space, or with the line; a single space is part of it.
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
                    "A single tab does not end an account. Put two spaces or more before the amount."
                )
            }
            hasWideSpace = hasWideSpace || gap.next != .space
        }
        guard last > first else {
            throw failure(.missingAccount, at: start, "The posting names no account. Write one before the amount.")
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
                "Virtual postings are not supported. Remove the parentheses or brackets around the account, or the line."
            )
        }
        return hasWideSpace ? line.textWithPlainSpaces(first..<last) : line.text(first..<last)
    }

    /// Reads a cost after `@` or `@@`, or returns nil where none follows.
    private func readCost(_ line: inout LineCursor) throws(JournalError) -> Cost? {
        guard line.skip(.at) else { return nil }
        let isTotal = line.skip(.at)
        line.skipSpaces()
        let price = try readAmount(&line)
        return isTotal ? .total(price) : .unit(price)
    }

    /// Refuses what may follow an account or an amount in hledger but means more than an amount.
    private func refuseUnsupported(at line: LineCursor) throws(JournalError) {
        switch line.next {
        case UInt8.openBrace?:
            throw failure(
                .lotPrice, at: line, "Lot prices are not supported. Remove the braces, or give the cost after '@'."
            )
        case UInt8.openParenthesis? where line.afterNext == .at:
            // After a bare number, hledger takes the parenthesis for a commodity.
            throw failure(.invalidAmount, at: line, "Virtual costs are not supported. Write '@' or '@@'.")
        case UInt8.openBracket?:
            throw failure(.lotPrice, at: line, "Lot dates are not supported. Remove the brackets.")
        default:
            return
        }
    }
}

extension LineCursor {
    /// The text in `range`, each of its white-space characters made a plain space, as hledger does.
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
