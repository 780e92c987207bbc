// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads the date in the comment of a posting, the rest of the line after the semicolon; `nil` for none.
    ///
    /// As in hledger, a date follows the tag `date`, or it is in brackets, and the first date counts. A secondary date
    /// follows the tag `date2` or, in brackets, a `=`. It is counted and left out. Each of these dates must be valid. A
    /// date without a year is in `year`.
    mutating func readPostingDate(_ comment: LineCursor, year: Int) throws(JournalError) -> BookDate? {
        var line = comment
        var date: BookDate?
        // The word before a colon is a tag. Its value ends with a comma.
        var wordStart = line.position
        var isInValue = false
        while let byte = line.next {
            let spaceLength = line.spaceLength(at: line.position)
            switch byte {
            case .openBracket:
                let bracketed = try readBracketedDate(line, year: year)
                date = date ?? bracketed
                line.position += 1
            case .colon where !isInValue:
                let word = line.bytes[wordStart..<line.position]
                line.position += 1
                line.skipSpaces()
                isInValue = !word.isEmpty
                if word.elementsEqual("date".utf8) {
                    let tagged = try readDate(&line, defaultYear: year)
                    date = date ?? tagged
                } else if word.elementsEqual("date2".utf8) {
                    _ = try readDate(&line, defaultYear: year)
                    leftOut["secondary date", default: 0] += 1
                } else if word.isEmpty {
                    _ = line.skip(.comma)
                    wordStart = line.position
                }
            case .comma where isInValue:
                line.position += 1
                wordStart = line.position
                isInValue = false
            default:
                line.position += max(1, spaceLength)
                if spaceLength > 0 { wordStart = line.position }
            }
        }
        return date
    }

    /// Reads the date in brackets at `start`; `nil` if the brackets contain no date, or only a secondary date.
    private mutating func readBracketedDate(_ start: LineCursor, year: Int) throws(JournalError) -> BookDate? {
        var line = start
        line.position += 1
        var ahead = line
        while let byte = ahead.next, byte.isASCIIDigit || byte.isDateSeparator || byte == .equalsSign {
            ahead.position += 1
        }
        // Like hledger, this parser interprets any other text in brackets as text.
        let text = line.bytes[line.position..<ahead.position]
        guard ahead.next == .closeBracket, text.contains(where: \.isASCIIDigit), text.contains(where: \.isDateSeparator)
        else { return nil }
        let date = line.next == .equalsSign ? nil : try readDate(&line, defaultYear: year)
        if line.skip(.equalsSign) {
            _ = try readDate(&line, defaultYear: date?.year ?? year)
            leftOut["secondary date", default: 0] += 1
        }
        guard line.next == .closeBracket else {
            throw failure(
                .invalidDate,
                at: line,
                "There is text after the date in brackets. To fix, write the date as in [2024-02-29]."
            )
        }
        return date
    }
}
