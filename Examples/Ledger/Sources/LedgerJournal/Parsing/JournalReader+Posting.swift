// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads a posting and its claimed balance, starting at the first byte that isn't white space.
    ///
    /// `year` is the year of the transaction.
    mutating func readPosting(_ line: inout LineCursor, year: Int) throws(JournalError) -> WrittenPosting {
        let status = line.readStatus()
        line.skipSpaces()
        let (account, kind) = try readAccount(&line)
        if kind != .real { leftOut["virtual posting", default: 0] += 1 }
        var posting = PostingDraft(account: account, status: status)
        var claim: WrittenPosting.Claim?
        var date: BookDate?
        if let next = line.next, next != .semicolon {
            if next != .equalsSign {
                let start = line
                posting.amount = try readAmount(&line)
                posting.cost = try readPrices(&line, ofAmountAt: start)
            }
            claim = try readClaim(&line, isAssignment: posting.amount == nil)
            line.skipSpaces()
        }
        if line.skip(.semicolon) {
            date = try readPostingDate(line, year: year)
            posting.comment = line.trimmedText(upTo: line.end)
        } else if !line.isAtEnd {
            throw failure(
                .invalidAmount,
                at: line,
                "There is text after the amount. To fix, start a comment with ';', or write a commodity "
                    + "with digits, spaces, or punctuation in double quotes."
            )
        }
        return WrittenPosting(draft: posting, kind: kind, claim: claim, line: lineNumber, date: date)
    }

    /// Reads an amount with an optional cost, up to the end of the input.
    mutating func readLoneAmount() throws(JournalError) -> (amount: Amount, cost: Cost?) {
        allowsExponents = false
        refusesAmbiguousNumbers = true
        let range = try nextLine() ?? 0..<0
        var line = LineCursor(bytes: bytes, range: range)
        line.skipSpaces()
        let amount = try readAmount(&line)
        line.skipSpaces()
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

    /// Reads a balance after `=`, `==`, `=*`, or `==*`.
    ///
    /// A cost after it has no meaning for an assertion, as in hledger. Returns nil if there is no balance.
    private func readClaim(
        _ line: inout LineCursor,
        isAssignment: Bool
    ) throws(JournalError) -> WrittenPosting.Claim? {
        guard line.skip(.equalsSign) else { return nil }
        let isTotal = line.skip(.equalsSign)
        let isInclusive = line.skip(.asterisk)
        line.skipSpaces()
        let balance = try readAmount(&line)
        line.skipSpaces()
        let start = line
        let cost = try readCost(&line)
        if isAssignment, cost != nil {
            throw failure(
                .balanceAssignment,
                at: start,
                "A balance assignment with a cost isn't supported. To fix, write the amount and the cost before the '='."
            )
        }
        return WrittenPosting.Claim(balance: balance, isTotal: isTotal, isInclusive: isInclusive)
    }

    /// Reads the account and the white space after it.
    ///
    /// An account ends before two white-space characters, or with the line. A single space is part of it.
    ///
    /// Parentheses or brackets around it make the posting virtual. They aren't part of the name.
    mutating func readAccount(
        _ line: inout LineCursor
    ) throws(JournalError) -> (name: String, kind: WrittenPosting.Kind) {
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
        let kind: WrittenPosting.Kind =
            switch (line.bytes[first], line.bytes[last - 1]) {
            case (.openParenthesis, .closeParenthesis): .unbalanced
            case (.openBracket, .closeBracket): .bracketed
            default: .real
            }
        let range = kind == .real ? first..<last : (first + 1)..<(last - 1)
        let written = hasWideSpace ? line.textWithPlainSpaces(range) : line.text(range)
        guard !written.allSatisfy(\.isWhitespace) else {
            throw failure(
                .missingAccount, at: start,
                "There is no account between the marks. To fix, write an account, or remove the line.")
        }
        do {
            return (try accountNames.name(of: written), kind)
        } catch {
            throw tooLong(error, at: start)
        }
    }

    private func tooLong(_ refusal: AccountNames.Refusal, at line: LineCursor) -> JournalError {
        switch refusal {
        case .tooLong:
            failure(
                .accountTooLong,
                at: line,
                "With its parents and aliases, the account has more than \(AccountNames.maximumLength) bytes or "
                    + "\(AccountNames.maximumLevelCount) levels. To fix, use a shorter name."
            )
        case .overAllowance:
            failure(
                .accountTooLong,
                at: line,
                "The parents and aliases add too much text to the accounts of this journal. "
                    + "To fix, use shorter names in 'apply account' and 'alias', or fewer aliases."
            )
        case .empty:
            failure(
                .missingAccount,
                at: line,
                "The aliases leave nothing of this account. To fix, correct the replacement of an alias."
            )
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
