// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerTestSupport

/// Generates random balanced journals in all supported formats.
struct JournalGenerator {
    private var random: SplitMix64
    private let prefix: String

    /// The declared decimal mark of each commodity; nil if there is no directive.
    private var declaredMarks: [String: Character] = [:]

    /// The decimal mark of the other commodities; nil if there is no directive.
    private var declaredMark: Character?

    /// Transactions that no command applies without an option.
    private static let rules = "~ monthly  rent\n  rent  1 EUR\n  b\n\n= rent\n  (budget)  *-1\n\n"

    /// A transaction without postings.
    private static let note = "2024-03-01 a note without amounts\n\n"

    static let commodities = ["$", "EUR", "€", "FUND", "red apples", "X", "руб", ""]

    /// A number of digits after the point that is larger than in all generated amounts and products.
    static let displayScale = 12

    /// Creates a generator of journals whose accounts start with `prefix`.
    init(seed: UInt64, prefix: String) {
        random = SplitMix64(seed: seed)
        self.prefix = prefix
    }

    /// Returns a journal of `count` transactions.
    mutating func journal(transactions count: Int) throws -> String {
        var text = random.happens(percent: 20) ? "\u{FEFF}" : ""
        text += directives()
        for _ in 0..<count {
            text += try transaction()
            text += pickString(["\n", "\n\n", " \n", "; between\n", "# between\n", Self.rules, Self.note])
        }
        text += try assignment()
        text += try assertions()
        // hledger rounds its output to the maximum number of written digits of a commodity.
        text += "2024-12-31 digits\n"
        for commodity in Self.commodities where declaredMarks[commodity] == nil {
            text +=
                "  zero  0\(declaredMark ?? ".")\(String(repeating: "0", count: Self.displayScale)) \(quoted(commodity))\n"
        }
        text += "  zero  0 X\n  zero\n"
        if random.happens(percent: 20) { text = text.replacing("\n", with: "\r\n") }
        return text
    }

    private mutating func directives() -> String {
        var text = ""
        if random.happens(percent: 30) {
            let mark: Character = random.pick([".", ","])
            declaredMark = mark
            text += "decimal-mark \(mark)\n"
        }
        for commodity in ["EUR", "$"] where random.happens(percent: 40) {
            let mark = declaredMark ?? random.pick([".", ","])
            declaredMarks[commodity] = mark
            let sample = "1\(mark == "." ? "," : ".")000\(mark)\(String(repeating: "0", count: Self.displayScale))"
            text +=
                random.happens(percent: 50)
                ? "commodity \(commodity)\(sample)\n" : "commodity \(commodity)\n  format \(sample) \(commodity)\n"
        }
        if random.happens(percent: 30) { text += "account \(prefix)a  ; declared\n  a line below\n" }
        if random.happens(percent: 30) { text += "P 2024-01-01 FUND 2 EUR\n" }
        if random.happens(percent: 30) { text += "comment\n2024-01-01 not read\nend comment\n" }
        return text
    }

    private mutating func transaction() throws -> String {
        var amounts: [(amount: Amount, cost: Cost?)] = []
        var sums: [String: Quantity] = [:]
        func count(_ value: Amount) throws {
            sums[value.commodity] = try (sums[value.commodity] ?? .zero).adding(value.quantity)
        }
        let infers = random.happens(percent: 15)
        if infers {
            let bought = random.pick(["$", "EUR", "X"])
            let sign: Int128 = random.pick([-1, 1])
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                amounts.append((Amount(try positive(sign), bought), nil))
            }
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                amounts.append((Amount(try positive(-sign), "FUND"), nil))
            }
        } else {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let amount = Amount(try positive(random.pick([-1, 1])), random.pick(Self.commodities))
                var cost: Cost?
                if random.happens(percent: 30) {
                    let price = Amount(try positive(1), random.pick(Self.commodities))
                    cost = random.happens(percent: 50) ? .unit(price) : .total(price)
                }
                amounts.append((amount, cost))
                try count(cost?.amount(for: amount.quantity) ?? amount)
            }
        }

        var lines = amounts.map { line(for: written($0.amount) + lot(of: $0.amount) + written($0.cost)) }
        let missing = sums.filter { !$0.value.isZero }.sorted { $0.key < $1.key }
        if !infers, random.happens(percent: 50) || missing.isEmpty {
            lines.insert(line(for: ""), at: Int.random(in: 0...lines.count, using: &random))
        } else {
            lines += missing.map { line(for: written(Amount($0.value.negated, $0.key))) }
        }
        if lines.count == 1 { lines.append(line(for: written(Amount(.zero, "X")))) }
        for line in try virtualLines() {
            lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
        }
        return header() + lines.joined()
    }

    private mutating func virtualLines() throws -> [String] {
        let amount = Amount(try positive(random.pick([-1, 1])), random.pick(Self.commodities))
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: ["  (\(prefix)v)  \(written(amount))\n"]
        case 1: ["  [\(prefix)v]  \(written(amount))\n", "  [\(prefix)w]\n"]
        case 2: ["  ![\(prefix)v]  \(written(amount))\n", "  [a (b)]  \(written(amount.negated))  ; comment\n"]
        default: []
        }
    }

    /// A transaction whose first amount follows from a balance.
    private mutating func assignment() throws -> String {
        let balance = Amount(try positive(random.pick([-1, 1])), random.pick(Self.commodities))
        let account = prefix + pickString(["a", "b:c", "v"])
        let mark = pickString(["=", "= ", "==", "== "])
        return "2024-06-01 assignment\n  \(account)  \(mark)\(written(balance))\n  \(prefix)b:c d\n\n"
    }

    /// Two transactions with true assertions, with a note between them.
    private mutating func assertions() throws -> String {
        let commodity = random.pick(Self.commodities)
        let (first, second) = (Amount(try positive(1), commodity), Amount(try positive(-1), commodity))
        let sum = Amount(try first.quantity.adding(second.quantity), commodity)
        let account = "\(prefix)asserted"
        return "2024-07-01\n  \(account)  \(written(first)) = \(written(first))\n  \(prefix)other\n\n" + Self.note
            + "2024-07-02\n  \(account)  \(written(second)) = \(written(sum))\n  \(prefix)other\n\n"
    }

    private mutating func positive(_ sign: Int128) throws -> Quantity {
        let mantissa = Int128(
            random.pick([
                Int.random(in: 1...99, using: &random), Int.random(in: 1...99_999, using: &random),
                Int.random(in: 1...9_999_999_999, using: &random),
            ]))
        return try Quantity(mantissa: sign * mantissa, scale: random.pick([0, 0, 1, 2, 2, 2, 4]))
    }

    private mutating func header() -> String {
        let date = pickString([
            "2024-02-29", "2024/2/29", "2024.02.9", "2024-1-01", "2024-02-01=2024-2-3", "2024/2/2=3/1",
        ])
        let mark = pickString(["", " *", " !", " * (code; 7)", " (code)"])
        return "\(date)\(mark)\(pickString([" ", " shop", " café | note", "  two  spaces"]))"
            + "\(pickString(["", " ; comment", ";comment"]))\n\(pickString(["", "  ; below\n", "\t;\n"]))"
    }

    private mutating func line(for amount: String) -> String {
        let account = prefix + pickString(["a", "b:c", "b:c d", "é", "e;f", "2024-01-01"])
        let mark = pickString(["", "", "* ", "!"])
        let gap = amount.isEmpty ? "" : pickString(["  ", "     ", " \t", "\t\t"])
        let comment = pickString([
            "", "", "", "", "  ; comment", "  ;comment @ 5", "  ; date:2024-07-02", "  ; of [7/2=7/3]",
            "  ;x:y, date: 2/2", "  ; [=2024-07-02]",
        ])
        return "\(pickString([" ", "    ", "\t"]))\(mark)\(account)\(gap)\(amount)\(comment)\n"
            + pickString(["", "", "", "  ; below\n", "  ; below, date:2024/7/2 or so\n"])
    }

    private mutating func lot(of amount: Amount) -> String {
        amount.commodity.isEmpty ? "" : pickString(["", "", "", " {2.50 EUR}", " [2024-01-01]", " {{=$1}} [2024/1/2]"])
    }

    private mutating func written(_ cost: Cost?) -> String {
        switch cost {
        case nil: ""
        case .unit(let price): pickString([" @ ", "@", " @", " @  "]) + written(price)
        case .total(let price): pickString([" @@ ", "@@", " @@"]) + written(price)
        }
    }

    private mutating func written(_ amount: Amount) -> String {
        let number = digits(of: amount.quantity.magnitude, in: amount.commodity)
        let minus = amount.quantity.isNegative ? pickString(["-", "-", "- "]) : pickString(["", "", "", "+"])
        let symbol = quoted(amount.commodity)
        if symbol.isEmpty { return minus + number }
        return switch Int.random(in: 0..<5, using: &random) {
        case 0: minus + symbol + number
        case 1: symbol + minus + number
        case 2: symbol + " " + minus + number
        case 3: minus + number + symbol
        default: minus + number + " " + symbol
        }
    }

    /// The digits with or without groups, with the marks of the directives.
    private mutating func digits(of quantity: Quantity, in commodity: String) -> String {
        let declared = declaredMarks[commodity] ?? declaredMark
        let parts = quantity.description.split(separator: ".")
        let mark = declared ?? (random.happens(percent: 80) ? "." : ",")
        let fraction = parts.count > 1 ? "\(mark)\(parts[1])" : ""
        let whole = Array(String(parts[0]))
        // A mark before the first digit is the decimal mark, whatever is declared; hledger accepts only a point there.
        if whole == ["0"], parts.count > 1, random.happens(percent: 50) { return ".\(parts[1])" }
        guard random.happens(percent: 40) else { return String(whole) + fraction }
        let groupMark = random.pick([mark == "." ? "," : ".", " "])
        // A single group mark without a declared or written decimal mark would be parsed as a decimal mark.
        guard declared != nil || !fraction.isEmpty || groupMark == " " || whole.count > 6 else { return String(whole) }
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { grouped += groupMark }
            grouped.append(digit)
        }
        return grouped + fraction
    }

    private func quoted(_ commodity: String) -> String {
        commodity.contains(" ") ? "\"\(commodity)\"" : commodity
    }

    private mutating func pickString(_ choices: [String]) -> String {
        random.pick(choices)
    }
}
