// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

extension JournalReader {
    /// Reads a cost, a lot price, and a lot date after the amount at `start`, in any order, and returns the cost.
    ///
    /// Lots are counted and left out. Like in hledger, they have no effect on balances, and a virtual cost is a cost.
    mutating func readPrices(_ line: inout LineCursor, ofAmountAt start: LineCursor) throws(JournalError) -> Cost? {
        var cost: Cost?
        var hasLotPrice = false
        var hasLotDate = false
        while true {
            line.skipSpaces()
            switch line.next {
            case UInt8.at? where cost == nil:
                cost = try readCost(&line)
            case UInt8.openBrace? where !hasLotPrice:
                try readLotPrice(&line)
                hasLotPrice = true
            case UInt8.openBracket? where !hasLotDate:
                try readLotDate(&line)
                hasLotDate = true
            case UInt8.openParenthesis? where line.afterNext == .at && cost == nil:
                // hledger interprets a parenthesis after a number without a commodity as a commodity.
                guard !start.isBeforeNumber || !line.isBehindNumber else {
                    throw failure(
                        .invalidAmount,
                        at: line,
                        "The amount before the virtual cost has no commodity. To fix, write the commodity, or '@' or '@@'."
                    )
                }
                cost = try readVirtualCost(&line)
            default:
                return cost
            }
        }
    }

    /// Reads a cost after `@` or `@@`.
    ///
    /// Returns nil if there is none.
    func readCost(_ line: inout LineCursor) throws(JournalError) -> Cost? {
        guard line.skip(.at) else { return nil }
        let isTotal = line.skip(.at)
        line.skipSpaces()
        let price = try readAmount(&line)
        return isTotal ? .total(price) : .unit(price)
    }

    /// Reads a cost after `(@)` or `(@@)`.
    private func readVirtualCost(_ line: inout LineCursor) throws(JournalError) -> Cost {
        let start = line
        line.position += 2
        let isTotal = line.skip(.at)
        guard line.skip(.closeParenthesis) else {
            throw failure(.invalidAmount, at: start, "The parenthesis isn't closed. To fix, write '(@)' or '(@@)'.")
        }
        line.skipSpaces()
        let price = try readAmount(&line)
        return isTotal ? .total(price) : .unit(price)
    }

    private mutating func readLotPrice(_ line: inout LineCursor) throws(JournalError) {
        let start = line
        line.position += 1
        let isTotal = line.skip(.openBrace)
        _ = line.skip(.equalsSign)
        line.skipSpaces()
        guard (try? readAmount(&line)) != nil else {
            throw failure(.lotPrice, at: start, "The braces contain no amount. To fix, write a price as in {2.50 EUR}.")
        }
        line.skipSpaces()
        guard line.skip(.closeBrace), !isTotal || line.skip(.closeBrace) else {
            throw failure(.lotPrice, at: start, "The lot price isn't closed. To fix, write it as in {2.50 EUR}.")
        }
        leftOut["lot price", default: 0] += 1
    }

    private mutating func readLotDate(_ line: inout LineCursor) throws(JournalError) {
        let start = line
        line.position += 1
        line.skipSpaces()
        let date = try? readDate(&line, defaultYear: defaultYear)
        line.skipSpaces()
        guard date != nil, line.skip(.closeBracket) else {
            throw failure(.lotPrice, at: start, "The brackets contain no date. To fix, write it as in [2024-02-29].")
        }
        leftOut["lot date", default: 0] += 1
    }
}

extension LineCursor {
    /// Whether a number is directly behind the signs and the white space behind this position.
    fileprivate var isBeforeNumber: Bool {
        let first = bytes[position...].first { $0 != .space && $0 != .tab && $0 != .minus && $0 != .plus }
        return first.map { $0.isASCIIDigit || $0 == .point || $0 == .comma } ?? false
    }

    /// Whether a number is directly before the white space before this position.
    fileprivate var isBehindNumber: Bool {
        guard let last = bytes[..<position].last(where: { $0 != .space && $0 != .tab }) else { return false }
        return last.isASCIIDigit || last == .point || last == .comma
    }
}
