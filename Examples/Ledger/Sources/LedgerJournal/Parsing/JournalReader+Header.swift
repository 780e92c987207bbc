// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads the first line of a transaction: date, status mark, code, description, and comment.
    ///
    /// A second date after `=` is counted and left out.
    mutating func readHeader(_ line: inout LineCursor) throws(JournalError) -> TransactionDraft {
        let date = try readDate(&line, defaultYear: defaultYear)
        if line.skip(.equalsSign) {
            _ = try readDate(&line, defaultYear: date.year)
            leftOut["secondary date", default: 0] += 1
        }
        guard line.isAtEnd || line.spaceLength(at: line.position) > 0 else {
            throw failure(.invalidDate, at: line, "There is no space after the date. To fix, insert a space.")
        }
        line.skipSpaces()
        let status = line.readStatus()
        line.skipSpaces()
        let code = try readCode(&line)
        let (description, comment) = line.readDescriptionAndComment()
        return TransactionDraft(date: date, status: status, code: code, description: description, comment: comment)
    }

    /// Reads a date, with or without a year.
    func readDate(_ line: inout LineCursor, defaultYear: Int?) throws(JournalError) -> BookDate {
        let start = line
        func invalid(_ reason: String) -> JournalError {
            failure(.invalidDate, at: start, "\(reason) To fix, write the date as in 2024-02-29.")
        }

        guard let first = line.readDateNumber(), let separator = line.next, separator.isDateSeparator else {
            throw invalid("A date is missing here.")
        }
        line.position += 1
        guard let second = line.readDateNumber() else { throw invalid("The date has no month.") }
        var year = (value: defaultYear ?? 0, digits: 4)
        var (month, day) = (first, second)
        if line.skip(separator) {
            guard let third = line.readDateNumber() else { throw invalid("The date has no day.") }
            (year, month, day) = (first, second, third)
        } else {
            if let other = line.next, other.isDateSeparator { throw invalid("The date has two different separators.") }
            guard defaultYear != nil else {
                throw failure(
                    .dateWithoutYear, at: start,
                    "The date has no year. To fix, write it as in 2024-02-29, write 'Y2024' on a line before it, "
                        + "or pass '--year 2024' to 'ledger import'.")
            }
        }
        guard year.digits == 4, month.digits <= 2, day.digits <= 2 else {
            throw invalid("The date needs four digits for the year and at most two for month and day.")
        }
        guard let date = BookDate(year: year.value, month: month.value, day: day.value) else {
            throw invalid("The date doesn't exist.")
        }
        return date
    }

    private func readCode(_ line: inout LineCursor) throws(JournalError) -> String {
        let start = line
        guard line.skip(.openParenthesis) else { return "" }
        let first = line.position
        while let byte = line.next {
            if byte == .closeParenthesis {
                line.position += 1
                return line.text(first..<(line.position - 1))
            }
            line.position += 1
        }
        throw failure(
            .unclosedCode, at: start, "The code of the transaction isn't closed. To fix, add the missing ')'.")
    }
}

extension LineCursor {
    /// Reads `*` or `!`, if one is next.
    mutating func readStatus() -> TransactionStatus {
        if skip(.asterisk) { return .cleared }
        if skip(.exclamationMark) { return .pending }
        return .unmarked
    }

    /// Reads the rest of the line, split at the first semicolon.
    fileprivate mutating func readDescriptionAndComment() -> (description: String, comment: String) {
        var limit = position
        while limit < end, bytes[limit] != .semicolon { limit += 1 }
        let description = trimmedText(upTo: limit)
        position = min(limit + 1, end)
        let comment = trimmedText(upTo: end)
        position = end
        return (description, comment)
    }

    /// Reads digits as a number.
    ///
    /// Returns nil if there are none. With more than six digits, the value is meaningless.
    fileprivate mutating func readDateNumber() -> (value: Int, digits: Int)? {
        var value = 0
        let start = position
        while let byte = next, byte.isASCIIDigit {
            if position - start < 6 { value = value * 10 + Int(byte & 0x0F) }
            position += 1
        }
        return position > start ? (value, position - start) : nil
    }
}

extension UInt8 {
    /// Whether this byte separates the parts of a date.
    var isDateSeparator: Bool { self == .minus || self == .slash || self == .point }
}
