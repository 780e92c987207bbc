// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads an amount: a number with an optional commodity before or after it.
    ///
    /// A sign may precede the commodity, the number, or both. Two minus signs cancel out.
    func readAmount(_ line: inout LineCursor) throws(JournalError) -> Amount {
        try readMarkedAmount(&line).amount
    }

    /// Reads an amount and returns the decimal mark of its number, too, for directives that set a format.
    func readMarkedAmount(_ line: inout LineCursor) throws(JournalError) -> (amount: Amount, mark: UInt8?) {
        let isNegative = line.readSign() ?? false
        if let symbol = try readSymbol(&line) {
            line.skipSpaces()
            let isNumberNegative = line.readSign() ?? false
            let number = try readNumber(&line)
            let mark = number.decimalMark(given: decimalMarks.mark(for: symbol))
            let quantity = try quantity(number, mark: mark, isNegative: isNegative != isNumberNegative, at: line)
            return (Amount(quantity, symbol), mark)
        }
        let number = try readNumber(&line)
        let afterNumber = line
        line.skipSpaces()
        let symbol = try readSymbol(&line)
        if symbol == nil { line = afterNumber }
        let mark = number.decimalMark(given: decimalMarks.mark(for: symbol ?? ""))
        let quantity = try quantity(number, mark: mark, isNegative: isNegative, at: afterNumber)
        return (Amount(quantity, symbol ?? decimalMarks.defaultCommodity), mark)
    }

    /// Reads the symbol of a commodity, with or without quotes.
    ///
    /// Returns nil if there is none.
    func readSymbol(_ line: inout LineCursor) throws(JournalError) -> String? {
        guard let next = line.next else { return nil }
        if next == .quote { return try readQuotedSymbol(&line) }
        let first = line.position
        while let byte = line.next, byte.isPlainSymbolByte {
            guard line.spaceLength(at: line.position) == 0 else {
                throw failure(
                    .invalidCommodity,
                    at: line,
                    "A commodity is next to a space other than the plain space. To fix, use a plain space."
                )
            }
            line.position += 1
        }
        return line.position > first ? line.text(first..<line.position) : nil
    }

    private func readQuotedSymbol(_ line: inout LineCursor) throws(JournalError) -> String {
        let start = line
        line.position += 1
        let first = line.position
        while let byte = line.next, byte != .quote, byte != .semicolon { line.position += 1 }
        guard line.next == .quote else {
            throw failure(
                .invalidCommodity,
                at: start,
                "The quoted commodity isn't closed. To fix, add the missing '\"'. It can't contain a semicolon."
            )
        }
        guard line.position > first else {
            throw failure(
                .invalidCommodity, at: start,
                "The quoted commodity is empty. To fix, write its symbol, or remove the quotes.")
        }
        line.position += 1
        return line.text(first..<(line.position - 1))
    }

    private func quantity(
        _ number: WrittenNumber, mark: UInt8?, isNegative: Bool, at line: LineCursor
    ) throws(JournalError) -> Quantity {
        let exponent = number.exponent ?? 0
        var scale = (mark == nil ? 0 : number.digitsAfterLastMark) - exponent
        if number.exponent != nil, mark == nil, number.firstMark != nil { throw groupedExponent(at: line) }
        do {
            var mantissa = isNegative ? -number.mantissa : number.mantissa
            if scale < 0 {
                let ten = try Quantity(mantissa: 10)
                for _ in scale..<0 { mantissa = try Quantity(mantissa: mantissa).multiplied(by: ten).mantissa }
                scale = 0
            }
            return try Quantity(mantissa: mantissa, scale: scale)
        } catch {
            throw tooLong(at: line)
        }
    }

    func tooLong(at line: LineCursor) -> JournalError {
        failure(
            .numberTooLong,
            at: line,
            "The number has more than \(Quantity.maximumDigits) digits. To fix, use fewer digits."
        )
    }
}

extension LineCursor {
    /// Reads a sign and the white space after it.
    ///
    /// Returns true for minus, false for plus, nil for no sign.
    fileprivate mutating func readSign() -> Bool? {
        guard let byte = next, byte == .minus || byte == .plus else { return nil }
        position += 1
        skipSpaces()
        return byte == .minus
    }
}

extension UInt8 {
    /// Whether this byte can be part of a commodity without quotes.
    ///
    /// hledger also allows commas, parentheses, and brackets. This parser doesn't, because text that looks like a
    /// decimal comma or a lot date would silently become a commodity.
    fileprivate var isPlainSymbolByte: Bool {
        switch self {
        case 0x00...0x20, 0x30...0x39, 0x7F: false
        case .quote, .asterisk, .plus, .comma, .minus, .point, .semicolon, .equalsSign, .at: false
        case .openParenthesis, .closeParenthesis, .openBracket, .closeBracket, .openBrace, UInt8(ascii: "}"): false
        default: true
        }
    }
}
