// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// The texts of amounts in a column: the numbers are right-aligned, and the commodities left-aligned behind them.
struct AmountColumn {
    private let style: AmountStyle
    private let terminal: TerminalStyle
    private let numberWidth: Int
    private let symbolWidth: Int

    /// Creates a column that is wide enough for `amounts`.
    init(_ amounts: [Amount], _ style: AmountStyle, terminal: TerminalStyle = .plain) {
        self.style = style
        self.terminal = terminal
        numberWidth = amounts.map { style.quantity(of: $0).description.count }.max() ?? 0
        symbolWidth = amounts.map { Self.symbol(of: $0).count }.max() ?? 0
    }

    /// Number of characters of each text.
    var width: Int { numberWidth + symbolWidth }

    /// Returns the text of one of the amounts.
    func text(of amount: Amount) -> String {
        let number = style.quantity(of: amount).description
        let symbol = Self.symbol(of: amount)
        let padded =
            String(repeating: " ", count: max(0, numberWidth - number.count)) + number + symbol
            + String(repeating: " ", count: max(0, symbolWidth - symbol.count))
        return amount.quantity.isNegative ? terminal.negative(padded) : padded
    }

    /// Returns the text of an empty sum.
    var zero: String {
        String(repeating: " ", count: max(0, numberWidth - 1)) + "0" + String(repeating: " ", count: symbolWidth)
    }

    /// Returns the line above a sum.
    var rule: String { String(repeating: "-", count: max(1, width)) }

    /// The symbol with the space before it; empty for none.
    private static func symbol(of amount: Amount) -> String {
        String(Report.printable(Amount(.zero, amount.commodity).description).dropFirst())
    }
}
