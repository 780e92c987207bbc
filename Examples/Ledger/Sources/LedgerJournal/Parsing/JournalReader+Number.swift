// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// The digits and marks of a number, before the decimal mark is determined.
struct WrittenNumber {
    /// All digits as one whole number.
    var mantissa: Int128 = 0

    /// The first mark, or nil.
    ///
    /// If another mark follows, the first mark separates digit groups.
    var firstMark: UInt8?

    /// Number of occurrences of the first mark.
    var firstMarkCount = 0

    /// The second, different mark, or the mark before the first digit; `nil` for neither.
    ///
    /// It is the decimal mark.
    var certainMark: UInt8?

    /// Number of digits after the last mark.
    var digitsAfterLastMark = 0

    /// The power of ten after `e`; `nil` for none.
    var exponent: Int?

    /// Whether the only mark can be a decimal mark, or separate a digit group: `1,825`, but not `0,825` or `1234,567`.
    var isAmbiguous: Bool {
        certainMark == nil && firstMarkCount == 1 && firstMark != .space && digitsAfterLastMark == 3
            && (1...999).contains(mantissa / 1000)
    }

    /// The decimal mark of the number; `nil` for none.
    ///
    /// A single comma or point is the decimal mark, unless `declaredMark` is another character.
    func decimalMark(given declaredMark: UInt8?) -> UInt8? {
        if let certainMark { return certainMark }
        guard let firstMark, firstMarkCount == 1, firstMark != .space else { return nil }
        return declaredMark == nil || declaredMark == firstMark ? firstMark : nil
    }
}

extension JournalReader {
    /// Reads the digits and marks of a number.
    ///
    /// One kind of mark (comma, point, or plain space) separates digit groups of any length. A different comma or point
    /// can follow once, as the decimal mark. A point before the first digit is the decimal mark, and the only mark.
    func readNumber(_ line: inout LineCursor) throws(JournalError) -> WrittenNumber {
        let start = line
        var number = WrittenNumber()
        var digits = 0
        var significantDigits = 0
        while let byte = line.next {
            if byte.isASCIIDigit {
                if significantDigits > 0 || byte != UInt8(ascii: "0") { significantDigits += 1 }
                guard significantDigits <= Quantity.maximumDigits else { throw tooLong(at: start) }
                number.mantissa = number.mantissa &* 10 &+ Int128(byte & 0x0F)
                number.digitsAfterLastMark += 1
                digits += 1
            } else if byte == .comma || byte == .point {
                guard digits > 0 || byte == .point else { break }
                let isGroupEmpty = digits > 0 && number.digitsAfterLastMark == 0
                try take(byte, into: &number, isLeading: digits == 0, isGroupEmpty: isGroupEmpty, at: line)
            } else if byte == .space, digits > 0, line.afterNext?.isASCIIDigit == true,
                number.certainMark == nil, number.firstMark == nil || number.firstMark == .space
            {
                try take(byte, into: &number, isLeading: false, isGroupEmpty: false, at: line)
            } else {
                break
            }
            line.position += 1
        }
        guard digits > 0 else {
            throw line.next == .comma
                ? failure(.invalidNumber, at: line, "The number starts with a comma. To fix, write a 0 before it.")
                : failure(
                    .invalidAmount, at: start,
                    "A number is missing here. To fix, write an amount as in 12.50 EUR or $12.50."
                )
        }
        let endsWithGroupMark =
            number.digitsAfterLastMark == 0 && number.certainMark == nil && number.firstMarkCount > 1
        guard !endsWithGroupMark else { throw misplacedMark(at: start) }
        number.exponent = try readExponent(&line, of: number, from: start)
        if refusesAmbiguousNumbers, number.isAmbiguous { throw ambiguous(number, at: start) }
        return number
    }

    private func take(
        _ mark: UInt8, into number: inout WrittenNumber, isLeading: Bool, isGroupEmpty: Bool, at line: LineCursor
    ) throws(JournalError) {
        guard !isGroupEmpty, number.certainMark == nil else { throw misplacedMark(at: line) }
        if isLeading {
            number.certainMark = mark
        } else if number.firstMark == nil || number.firstMark == mark {
            number.firstMark = mark
            number.firstMarkCount += 1
        } else {
            number.certainMark = mark
        }
        number.digitsAfterLastMark = 0
    }

    private func misplacedMark(at line: LineCursor) -> JournalError {
        failure(
            .invalidNumber,
            at: line,
            "The marks in this number are ambiguous. To fix, write it as in 1234567.89 or 1,234,567.89."
        )
    }

    private func ambiguous(_ number: WrittenNumber, at line: LineCursor) -> JournalError {
        let (whole, fraction) = number.mantissa.quotientAndRemainder(dividingBy: 1000)
        let digits = String("\(1000 + fraction)".dropFirst())
        return failure(
            .ambiguousNumber,
            at: line,
            "The mark in this number can be a decimal mark, or separate the thousands. "
                + "To fix, write \(number.mantissa) or \(whole).\(digits)0."
        )
    }

    /// Reads the exponent of a number.
    ///
    /// Returns nil if there is none.
    private func readExponent(
        _ line: inout LineCursor, of number: WrittenNumber, from start: LineCursor
    ) throws(JournalError) -> Int? {
        guard let letter = line.next, letter | 0x20 == UInt8(ascii: "e") else { return nil }
        var ahead = line
        ahead.position += 1
        let isNegative = ahead.next == .minus
        if isNegative || ahead.next == .plus { ahead.position += 1 }
        guard ahead.next?.isASCIIDigit == true else { return nil }
        var value = 0
        while let digit = ahead.next, digit.isASCIIDigit {
            value = min(value * 10 + Int(digit & 0x0F), 1000)
            ahead.position += 1
        }
        let hasTwoMarks = number.firstMark != nil && number.certainMark != nil
        let isGrouped = hasTwoMarks || number.firstMarkCount > 1 || number.firstMark == .space
        guard !isGrouped else { throw groupedExponent(at: start) }
        guard allowsExponents else {
            throw failure(.exponent, at: start, "An exponent is allowed in journals only. To fix, write all digits.")
        }
        guard value <= Quantity.maximumDigits else { throw tooLong(at: start) }
        line = ahead
        return isNegative ? -value : value
    }

    func groupedExponent(at line: LineCursor) -> JournalError {
        failure(
            .exponent,
            at: line,
            "A number with an exponent has digit groups. To fix, write all digits, or remove the group marks."
        )
    }
}
