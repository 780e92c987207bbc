// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// A directive with indented lines.
enum BlockDirective {
    /// The indented lines have no effect.
    case inert

    /// The rule of automated or periodic transactions, with postings that have no effect.
    case postingRule

    /// The directive declares the account at the cursor.
    case account(LineCursor)

    /// The directive declares a commodity.
    ///
    /// `isObeyed` is true if a format was read.
    case commodity(String, isObeyed: Bool)
}

/// The effect of a directive on the next lines.
enum DirectiveOutcome {
    case nothing
    case commentBlock
    case block(BlockDirective)
}

extension JournalReader {
    /// Reads the line of a directive.
    ///
    /// Directives that change the amounts or accounts after them take effect or cause an error. Others are counted and
    /// ignored.
    mutating func readDirective(_ line: inout LineCursor) throws(JournalError) -> DirectiveOutcome {
        let start = line
        if start.next == .equalsSign || start.next == .tilde {
            leftOut[start.next == .tilde ? "periodic transaction" : "automated transaction", default: 0] += 1
            return .block(.postingRule)
        }
        _ = line.skip(.exclamationMark)
        let keyword = line.readKeyword()
        line.skipSpaces()
        switch keyword {
        case "account":
            try requireArgument(&line, of: keyword)
            count(keyword)
            var comment = line
            if comment.skipToComment() { try readTypeTag(comment, of: .account(line)) }
            return .block(.account(line))
        case "payee", "tag":
            try requireArgument(&line, of: keyword)
            count(keyword)
            return .block(.inert)
        case "P", "N", "C", "assert", "check":
            try requireArgument(&line, of: keyword)
            count(keyword)
        case "Y", "year":
            try readYear(line.trimmedText(upTo: line.end), at: start)
        case "alias":
            try readAlias(line, at: start)
        case "include":
            try readInclude(line.trimmedText(upTo: line.end), at: start)
        case "apply":
            try readApply(&line, from: start)
        case "comment":
            guard line.isAtEnd else {
                throw invalidDirective(at: line, "Text follows 'comment'. To fix, move it to the next lines.")
            }
            return .commentBlock
        case "commodity":
            let (symbol, hasFormat) = try readCommodityDirective(&line)
            return .block(.commodity(symbol, isObeyed: hasFormat))
        case "D":
            try readDefaultCommodity(&line)
        case "decimal-mark":
            try readDecimalMark(&line)
        case "end":
            try readEnd(&line, from: start)
        case _ where keyword.isYearWithoutSpace:
            var text = start
            text.position = line.start + 1 + (start.next == .exclamationMark ? 1 : 0)
            try readYear(text.trimmedText(upTo: text.end), at: start)
        default:
            throw refusal(of: keyword, at: start)
        }
        return .nothing
    }

    /// Reads an indented line below a directive.
    ///
    /// - Returns: The directive, changed by this line.
    mutating func readSubdirective(
        _ line: inout LineCursor,
        of directive: BlockDirective
    ) throws(JournalError) -> BlockDirective {
        guard case .commodity(let symbol, _) = directive else { return directive }
        let start = line
        let keyword = line.readKeyword()
        line.skipSpaces()
        switch keyword {
        case "format":
            let declared = try readFormat(&line)
            guard declared == symbol else {
                throw invalidDirective(
                    at: start, "The format has another commodity. To fix, use the declared commodity.")
            }
            return .commodity(symbol, isObeyed: true)
        case "note", "nomarket":
            return directive
        default:
            throw failure(
                .unsupportedDirective,
                at: start,
                "Below 'commodity', only 'format', 'note', and 'nomarket' are supported. To fix, remove this line."
            )
        }
    }

    /// Throws if `line`, below a directive that has ended a transaction, can be a posting of that transaction.
    func requireSubdirective(_ line: LineCursor, of directive: BlockDirective) throws(JournalError) {
        switch directive {
        case .inert, .account: break
        case .postingRule, .commodity: return
        }
        var rest = line
        let keyword = rest.readKeyword()
        if Self.subdirectives.contains(keyword), rest.skipSpaces() < 2 { return }
        throw failure(
            .unexpectedIndentation,
            at: line,
            "The directive above this line has ended the transaction, so this line isn't one of its postings. To fix, move "
                + "the directive before the transaction, or insert a blank line before it if this line belongs to it."
        )
    }

    /// The keywords that can be below 'account', 'payee', and 'tag'.
    private static let subdirectives: Set<String> = [
        "alias", "assert", "check", "default", "eval", "note", "payee", "type", "uuid", "value",
    ]

    /// Counts a directive that has ended, if it was ignored.
    mutating func countIfPassedOver(_ directive: BlockDirective) {
        if case .commodity(_, isObeyed: false) = directive { count("commodity") }
    }

    private mutating func readCommodityDirective(
        _ line: inout LineCursor
    ) throws(JournalError) -> (symbol: String, hasFormat: Bool) {
        var ahead = line
        if let symbol = try readSymbol(&ahead) {
            ahead.skipSpaces()
            if ahead.isAtEnd || ahead.next == .semicolon { return (symbol, false) }
        }
        return (try readFormat(&line), true)
    }

    private mutating func readFormat(_ line: inout LineCursor) throws(JournalError) -> String {
        let (symbol, mark) = try readSample(&line)
        decimalMarks.byCommodity[symbol] = mark
        return symbol
    }

    private mutating func readDefaultCommodity(_ line: inout LineCursor) throws(JournalError) {
        let (symbol, mark) = try readSample(&line)
        decimalMarks.defaultCommodity = symbol
        decimalMarks.byDefault = mark
    }

    /// Reads the sample amount that sets the format of a commodity.
    private func readSample(_ line: inout LineCursor) throws(JournalError) -> (symbol: String, mark: UInt8) {
        let start = line
        let (amount, mark) = try readMarkedAmount(&line)
        guard let mark else {
            throw invalidDirective(
                at: start, "The sample amount has no decimal mark. To fix, write it as in 1,000.00 EUR or 1000. EUR."
            )
        }
        line.skipSpaces()
        guard line.isAtEnd || line.next == .semicolon else {
            throw invalidDirective(at: line, "There is text after the sample amount. To fix, start a comment with ';'.")
        }
        return (amount.commodity, mark)
    }

    private mutating func readDecimalMark(_ line: inout LineCursor) throws(JournalError) {
        let start = line
        guard let mark = line.next, mark == .comma || mark == .point else {
            throw invalidDirective(at: start, "The decimal mark is neither '.' nor ','. To fix, use '.' or ','.")
        }
        line.position += 1
        line.skipSpaces()
        guard line.isAtEnd || line.next == .semicolon else {
            throw invalidDirective(at: line, "There is text after the decimal mark. To fix, start a comment with ';'.")
        }
        decimalMarks.ofEverything = mark
    }

    private mutating func readEnd(_ line: inout LineCursor, from start: LineCursor) throws(JournalError) {
        switch line.trimmedText(upTo: line.end) {
        case "aliases":
            accountNames.endAliases()
        case "apply account":
            guard accountNames.endParent() else {
                throw invalidDirective(at: start, "No 'apply account' is before this line. To fix, remove the line.")
            }
        case "tag":
            count("end tag")
        default:
            throw refusal(of: "end", at: start)
        }
    }

    private func requireArgument(_ line: inout LineCursor, of keyword: String) throws(JournalError) {
        guard !line.isAtEnd, line.next != .semicolon else {
            throw invalidDirective(
                at: line, "The directive '\(keyword)' has no argument. To fix, complete it, or remove it.")
        }
    }

    private mutating func count(_ keyword: String) {
        skippedDirectives[keyword, default: 0] += 1
    }

    func invalidDirective(at line: LineCursor, _ message: String) -> JournalError {
        failure(.invalidDirective, at: line, message)
    }
}

extension String {
    /// Whether this is `Y` directly followed by a digit.
    fileprivate var isYearWithoutSpace: Bool {
        utf8.first == UInt8(ascii: "Y") && utf8.dropFirst().first?.isASCIIDigit == true
    }
}
