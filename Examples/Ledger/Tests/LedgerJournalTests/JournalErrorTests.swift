// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import Testing

@Suite struct JournalErrorTests {
    @Test(arguments: JournalFixture.errors)
    func eachKindOfErrorNamesItsLine(file: JournalFixture) throws {
        let bytes = try file.bytes()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let marked = lines.firstIndex { $0.hasSuffix("; here") }.map { $0 + 1 } ?? lines.count - 1

        let error = error(reading: bytes)

        #expect(error?.code.description == file.name)
        #expect(error?.line == marked)
        #expect(error?.file == "test")
    }

    @Test func theDescriptionHasLineCauseRemedyAndText() {
        let text = "2024-01-01\n  é  1 EUR\n  é:ü  1 (@) 2\n"

        #expect(
            error(reading: [UInt8](text.utf8))?.description
                == "test:3:10: The amount before the virtual cost has no commodity. To fix, write the commodity, or '@' or '@@'. "
                + "Found: (@) 2"
        )
    }

    @Test(arguments: [
        ([0xFF], 1), ([0x41, 0x20, 0xC3], 3), ([0x3B, 0xC0, 0x80], 2), ([0x3B, 0xED, 0xA0, 0x80], 2),
        ([0x3B, 0xF4, 0x90, 0x80, 0x80], 2), ([0x3B, 0xE2, 0x82], 2), ([0x3B, 0xC3, 0xA9, 0x80], 3),
        ([0x3B, 0xE0, 0x80, 0x80], 2), ([0x3B, 0xF8, 0x88, 0x80, 0x80, 0x80], 2),
    ])
    func invalidUTF8IsRefusedAnywhere(bytes: [UInt8], column: Int) {
        let error = error(reading: [UInt8]("; a comment\n".utf8) + bytes + [0x0A])

        #expect(error?.code == .notUTF8)
        #expect(error?.line == 2)
        #expect(error?.column == column)
    }

    @Test(arguments: [0x00, 0x01, 0x08, 0x0E, 0x1B, 0x1F] as [UInt8])
    func controlCharactersAreRefused(byte: UInt8) {
        let error = error(reading: [UInt8]("; a\n; b".utf8) + [byte])

        #expect(error?.code == .controlCharacter)
        #expect(error?.line == 2)
        #expect(error?.column == 4)
    }

    /// The postings below such a directive would belong to it and would be lost.
    @Test(arguments: ["tag x", "payee x", "account x", "!tag x"])
    func aPostingBelowADirectiveWithinATransactionIsRefused(directive: String) {
        let text = "2024-01-01\n  a  1\n  b  -1\n\(directive)\n  ; a comment\n  c  5\n  d  -5\n"

        let error = error(reading: [UInt8](text.utf8))

        #expect(error?.code == .unexpectedIndentation)
        #expect(error?.line == 6)
        #expect(error?.message.contains("To fix, move the directive before the transaction") == true)
    }

    @Test(arguments: [
        "2024-01-01\n  a  1\n  b\n\ntag x\n  c  5\n", "2024-01-01\n  a  1\n  b\npayee x\n  alias y\n  uuid z\n",
        "2024-01-01\n  a  1\n  b\n~ monthly\n  c  5\n  d\n", "2024-01-01\n  a  1\n  b\naccount x  ; y\n  ; type: A\n",
    ])
    func linesThatBelongToADirectiveAreAccepted(text: String) throws {
        #expect(try JournalParser().parse([UInt8](text.utf8), file: "test").entries.count == 1)
    }

    @Test func linesThatAreTooLongAreRefusedBeforeTheirEnd() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

        #expect(error(reading: [0x0A] + long, with: JournalParser(maximumLineLength: 99))?.code == .lineTooLong)
        #expect(error(reading: long + [0xFF], with: JournalParser(maximumLineLength: 50))?.code == .lineTooLong)
        #expect(error(reading: long, with: JournalParser(maximumLineLength: 100))?.code == .unknownLine)
        #expect(error(reading: long, with: JournalParser(maximumLineLength: 0))?.code == .lineTooLong)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["x", "9", "(", "\"", " ", "é", ";", "1,"])
    func aHundredMegabytesOnOneLineAreRefusedAtOnce(text: String) {
        var bytes = [UInt8](text.utf8)
        while bytes.count < 100_000_000 { bytes += bytes }

        let error = error(reading: bytes)

        #expect(error?.code == .lineTooLong)
        #expect((error?.excerpt.count ?? .max) <= JournalError.maximumExcerptLength)
    }

    @Test func theExcerptOfAnErrorIsShortened() {
        let error = error(reading: [UInt8](String(repeating: "é", count: 10_000).utf8))

        #expect(error?.code == .unknownLine)
        #expect(error?.excerpt == String(repeating: "é", count: 59) + "…")
    }

    @Test(arguments: [
        "apply tag x", "apply fixed x", "include x.journal", "!include x", "@alias a=b", "bucket a",
        "A a", "capture a b", "define x=1", "def x=1", "eval x", "expr x", "fixed x 1", "import x", "python",
        "value x", "i 2024-01-01 09:00 a", "o 2024-01-01 10:00", "commodity EUR\n  alias E",
    ])
    func directivesThatWouldChangeLaterLinesAreRefused(text: String) {
        #expect(error(reading: [UInt8](text.utf8))?.code == .unsupportedDirective)
    }

    @Test(arguments: [
        "account", "account ; comment", "account a  ; type:Z", "account a  ; type:", "account a\n  ; type:AL", "P", "Y",
        "Y24", "Y 20240", "Y0000", "!Y", "year x", "apply year", "alias",
        "alias a", "alias =b", "alias a= ", "alias /a", "alias /a/", "alias /a/ b", "alias //=b", "alias /(a/=b",
        "alias /a)/=b", "alias /[a/=b", "alias /a**/=b", "alias /*/=b", "alias /a|/=b", "alias /\\d/=b", "alias /\\/=b",
        "alias /[[.a.]]/=b", "alias /[b-a]/=b", "alias /a/=\\1", "alias /a{401}/=b", "alias /((a{9}){9}){9}/=b",
        "apply account", "end apply account", "commodity",
        "commodity 1,000,000 EUR", "commodity EUR x", "D 5 EUR",
        "D 5.00 EUR x", "D $", "decimal-mark", "decimal-mark x", "decimal-mark , x", "comment x",
        "commodity EUR\n  format 1.00 USD", "commodity EUR\n  format 100 EUR", "commodity EUR\n  format",
    ])
    func directivesThatAreIncompleteAreRefused(text: String) {
        let code = error(reading: [UInt8](text.utf8))?.code

        #expect(code == .invalidDirective || code == .invalidAmount)
    }

    @Test(arguments: [
        "--1", "+-1", "1,,2", "1,2.3,4", "1.2.", "1, 5", "1 EUR USD", "$1 USD", "EUR", ",5", "$,5", "1 A1", "1 A-B",
        "1 A*B", "1 A,B", "\"\" 1", "\"a", "1 \"a;b\"", "1 (", "(1)", "1 @", "1 A @ x", "1 A @@@ 2 B",
        "1 A @ 2 B @ 3 C", "1 A @ 2 B (@) 2 B", "1 A (@) x", "1 (@) 2", "1. (@) 2", "1 (@ 2 B", "1 A (@ ) 2 B",
        "1 A (@@@) 2 B",
        "1 A (@@", "0x10", "٣", "1'000", "1,000.5e3", "1 000e3",
        "1,000,000e1", "1e39", "1e-39", "1e99999999999999999999", "12e37",
        "EUR\u{A0}1", "*2", "1 A = 2 B 3", "1 A =",
        "1 A {}", "1 A {2 B", "1 A {{2 B}", "1 A {2 B} {2 B}", "1 A [1]", "1 A [2024-01-01", "1 A [01-02]",
        "1 A = 1 A {2 B}", "1 A === 1 A", "1 A =** 1 A", "= 1 A @ 2 B", "1 A == ", "1 A =* 1 A 2",
    ])
    func amountsOutsideTheSubsetAreRefused(text: String) {
        let journal = "2024-01-01\n  a  \(text)\n  b\n"

        #expect(error(reading: [UInt8](journal.utf8))?.line == 2)
    }

    @Test(arguments: ["()  1 EUR", "[]", "( )  1", "* []"])
    func virtualPostingsNeedAnAccount(posting: String) {
        #expect(error(reading: [UInt8]("2024-01-01\n  \(posting)\n".utf8))?.code == .missingAccount)
    }

    @Test(arguments: ["date:x", "[2024-02-30]", "x\n  ; date2:", "[1/2=]", "[1/2/3/4]"])
    func invalidDatesOfPostingsAreRefused(comment: String) {
        let error = error(reading: [UInt8]("2024-01-01\n  a  1 EUR ; \(comment)\n  b\n".utf8))

        #expect(error?.code == .invalidDate)
        #expect(error?.line == (comment.contains("\n") ? 3 : 2))
    }

    @Test func anAssignmentWithAPostingDateIsRefused() {
        let error = error(reading: [UInt8]("2024-01-01\n  a  = 1 EUR\n  ; date:2024-02-01\n  b\n".utf8))

        #expect(error?.code == .balanceAssignment)
        #expect(error?.line == 2)
    }

    @Test(arguments: [
        (String(repeating: "a", count: 4_096), true), (String(repeating: "a", count: 4_097), false),
        (String(repeating: "é", count: 2_048), true), (String(repeating: "é", count: 2_049), false),
        ("a" + String(repeating: ":a", count: 99), true), ("a" + String(repeating: ":a", count: 100), false),
        ("a" + String(repeating: ":a", count: 500_000), false),
    ])
    func accountsWithTooManyBytesOrLevelsAreRefused(account: String, isAccepted: Bool) {
        let text = "2024-01-01\n  \(account)  1 EUR =* 1 EUR\n  b\n"

        var failure: JournalError?
        do {
            _ = try parse(text)
        } catch {
            failure = error as? JournalError
        }

        #expect(failure?.code == (isAccepted ? nil : .accountTooLong))
        #expect(failure?.line == (isAccepted ? nil : 2))
    }

    @Test func aLongParentCannotMakeManyLongNames() {
        let parent = "apply account \(String(repeating: "p", count: 4_000))\n"
        let distinct = (0..<10_000).map { "  a\($0)  1\n" }.joined()
        let equal = String(repeating: "  a  1\n", count: 10_000)

        for postings in [distinct, equal] {
            let error = error(reading: [UInt8]((parent + "2024-01-01\n" + postings).utf8))
            #expect(error?.code == .accountTooLong)
            // 16 MiB, and four times the length of the journal, in names of 4,000 bytes.
            #expect((4_194...4_400).contains(error?.line ?? 0))
        }
    }

    @Test func parentsHaveALimitTogether() {
        let parent = "apply account \(String(repeating: "p", count: 1_000))\n"
        let ended = String(repeating: parent + "end apply account\n", count: 10)

        #expect(error(reading: [UInt8](String(repeating: parent, count: 5).utf8))?.line == 5)
        #expect((try? parse(ended + String(repeating: parent, count: 4))) != nil)
    }

    @Test func aliasesHaveALimitTogether() {
        let alias = "alias a = \(String(repeating: "b", count: 1_023))\n"
        let ended = String(repeating: alias + "end aliases\n", count: 100)

        #expect(error(reading: [UInt8](String(repeating: alias, count: 65).utf8))?.line == 65)
        #expect((try? parse(ended + String(repeating: alias, count: 64))) != nil)
    }

    /// Aliases that rename names back and forth take time without adding bytes.
    @Test func aliasesCannotRenameManyNamesManyTimes() throws {
        let aliases = String(repeating: "alias a = b\nalias b = a\n", count: 500) + "2024-01-01\n"
        let name = String(repeating: "x", count: 200)
        let distinct = (0..<200).map { "  a:\(name)\($0)  1\n" }.joined()

        let error = error(reading: [UInt8]((aliases + distinct).utf8))
        // The effect on equal names is computed once.
        let equal = try parse(aliases + String(repeating: "  a:\(name)  1\n", count: 200))

        #expect(error?.code == .accountTooLong)
        #expect((1_070...1_100).contains(error?.line ?? 0))
        #expect(equal.entries.first?.transaction.postings.last?.account == "b:\(name)")
    }

    /// A backtracking matcher would take longer than the universe exists.
    @Test func slowPatternsOfAliasesAreRefused() {
        let alias = "alias /(a|aa|a*)*(a*|aa)*b/ = x\n2024-01-01\n"
        let name = String(repeating: "a", count: 300)
        let postings = (0..<2_000).map { "  \(name)\($0)  1\n" }.joined()

        #expect(error(reading: [UInt8]((alias + postings).utf8))?.code == .accountTooLong)
    }

    @Test func aSetOfManyCharactersIsRefused() throws {
        let characters = (0..<401).compactMap { Unicode.Scalar(0x4E00 + $0).map(String.init) }

        #expect(error(reading: [UInt8]("alias /[\(characters.joined())]/ = x".utf8))?.code == .invalidDirective)
        #expect(try parse("alias /[\(characters.dropLast().joined())]/ = x\n").entries.isEmpty)
    }

    @Test func aLongPatternFitsTheStackOfATask() async throws {
        let name = String(repeating: "a", count: 199)
        let text = "alias /\(name)/ = x\n2024-01-01\n  \(name)  1\n  b\n"

        let account = try await Task { try parse(text).entries[0].transaction.postings[0].account }.value

        #expect(account == "x")
    }

    @Test func anAliasThatLeavesNothingOfANameIsRefused() {
        let text = "alias /.*/ =\n2024-01-01\n  a  1\n  b\n"

        #expect(error(reading: [UInt8](text.utf8))?.code == .missingAccount)
    }

    @Test func aliasesCannotMakeNamesWithoutBounds() {
        let growing = String(repeating: "alias a = a:\(String(repeating: "b", count: 500))\n", count: 10)
        let many = String(repeating: "alias a = b\n", count: 1001)

        #expect(error(reading: [UInt8]((growing + "2024-01-01\n  a  1\n  c\n").utf8))?.line == 12)
        #expect(error(reading: [UInt8](many.utf8))?.line == 1001)
    }

    @Test func anAssignmentAfterAnUnbalancedTransactionIsRefused() {
        let text = "2024-01-01\n  a  1 EUR\n  b  1 EUR\n2024-01-02\n  a  = 5 EUR\n  b\n"

        let error = error(reading: [UInt8](text.utf8))

        #expect(error?.code == .balanceAssignment)
        #expect(error?.line == 5)
        #expect(error?.message.contains("line 1") == true)
    }

    @Test(arguments: ["2024-01-02 note\n", "2024-01-02\n  a\n", "2024-01-02\n  a  0 EUR\n", "2024-01-02\n  (v)  9\n"])
    func aTransactionThatMovesNothingDoesNotEndTheCheckOfBalances(empty: String) throws {
        let first = "2024-01-01\n  a  1 EUR\n  b\n"
        let asserting = "2024-01-03\n  a  1 EUR = 7 EUR\n  b\n"
        let assigning = "2024-01-03\n  a  = 5 EUR\n  b\n"

        let failed = error(reading: [UInt8]((empty + first + asserting).utf8))
        let assigned = try parse(empty + first + assigning).entries.last?.transaction.postings.first?.amount

        #expect(failed?.code == .failedAssertion)
        #expect(failed?.message.contains("is 2 EUR here") == true)
        #expect(assigned?.description == "4 EUR")
    }

    @Test func anAssertionAfterAnUnbalancedTransactionIsRefused() {
        let text = "2024-01-01\n  a  1 EUR\n  b  1 EUR\n2024-01-02\n  a  1 EUR = 2 EUR\n  b\n"

        let error = error(reading: [UInt8](text.utf8))

        #expect(error?.code == .failedAssertion)
        #expect(error?.line == 5)
        #expect(
            error?.message == "The balance can't be checked, because the transaction on line 1 can't be counted. "
                + "The postings add up to 2 EUR instead of zero. "
                + "To fix, correct an amount, or omit one amount to have it computed."
        )
    }

    @Test func anAssertionOnABalanceWithTooManyDigitsIsRefused() {
        let large = "9" + String(repeating: "0", count: 37)
        let text = "2024-01-01\n  a  \(large)\n  b\n  a  \(large)\n  c  -\(large)\n2024-01-02\n  a  1 = 7\n  b\n"

        let error = error(reading: [UInt8](text.utf8))

        #expect(error?.code == .failedAssertion)
        #expect(error?.message.contains("digits") == true)
    }

    @Test func anAssignmentWithSubaccountsOfOtherCommoditiesIsRefused() {
        let text = "2024-01-01\n  a:b  1 USD\n  c\n2024-01-02\n  a  =* 5 EUR\n  c\n"

        #expect(error(reading: [UInt8](text.utf8))?.code == .balanceAssignment)
    }

    @Test func assignedAmountsInBracketsMustBalance() {
        let text = "2024-01-01\n  a  0\n  [b]  = 5 EUR\n  [c]  5 EUR\n"

        #expect(error(reading: [UInt8](text.utf8))?.code == .virtualPosting)
    }
}
