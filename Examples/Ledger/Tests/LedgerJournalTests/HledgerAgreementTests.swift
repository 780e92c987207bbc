// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import LedgerTestSupport
import Testing

@Suite(.enabled(if: Hledger.isInstalled, .init(rawValue: Hledger.absence)))
struct HledgerAgreementTests {
    private static let seed: UInt64 = 1_250

    @Test(arguments: JournalFixture.valid)
    func handwrittenJournalsHaveTheBalancesOfHledger(file: JournalFixture) throws {
        let ours = try AccountBalances(of: JournalParser().parse(file.bytes(), file: file.name))

        let theirs = try Hledger.balances(of: [file.url])

        #expect(ours.differences(from: theirs) == [])
        #expect(ours.count > 0)
    }

    @Test(arguments: JournalFixture.valid, ["\r\n", "\r"])
    func otherLineEndsChangeNothing(file: JournalFixture, lineEnd: String) throws {
        let text = String(decoding: try file.bytes(), as: UTF8.self)
        let ended = "\u{FEFF}" + text.replacing("\n", with: lineEnd)

        let ours = try AccountBalances(of: parse(ended))

        #expect(try ours == AccountBalances(of: parse(text)))
        #expect(try ours.differences(from: Hledger.withJournals([ended], Hledger.balances)) == [])
    }

    /// Sixteen batches of 25 journals, with one run of hledger for each batch.
    @Test(arguments: 0..<16)
    func generatedJournalsHaveTheBalancesOfHledger(batch: UInt64) throws {
        var texts: [String] = []
        var ours = AccountBalances()
        for index in 0..<25 {
            let seed = Self.seed + batch * 25 + UInt64(index)
            var generator = JournalGenerator(seed: seed, prefix: "seed \(seed):")
            let text = try generator.journal(transactions: 8)
            do {
                for entry in try parse(text).entries {
                    for posting in try entry.transaction.balanced() {
                        try ours.add(posting.amount, to: posting.account)
                    }
                }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(text)")
            }
            texts.append(text)
        }

        let theirs = try Hledger.withJournals(texts, Hledger.balances)

        #expect(ours.differences(from: theirs) == [])
    }

    /// Transactions that are balanced or nearly balanced.
    ///
    /// Each is a separate journal, because hledger determines the precision of a commodity from the whole journal.
    @Test(arguments: 0..<8)
    func exactlyTheTransactionsThatHledgerRefusesAreRefused(batch: UInt64) throws {
        var acceptedCount = 0
        for index in 0..<40 {
            let seed = Self.seed + batch * 40 + UInt64(index)
            let text = try nearMiss(seed: seed)
            let transaction = try #require(parse(text).entries.first).transaction

            let isAccepted = (try? transaction.balanced()) != nil

            #expect(try isAccepted == Hledger.accepts(text), "seed \(seed):\n\(text)")
            if isAccepted { acceptedCount += 1 }
        }

        #expect((4...36).contains(acceptedCount), "the generator leans too far to one side")
    }

    @Test(arguments: [
        "  a  1 A == 1 A\n  b\n", "  a  1 A\n  a  1 B == 1 B\n  b\n", "  a:b  1 A\n  a  0 A =* 1 A\n  b\n",
        "  a:b  1 A\n  a  0 A = 1 A\n  b\n", "  a:b  1 B\n  a  1 A ==* 1 A\n  b\n",
        "  a  1 B\n  a  1 A ==* 1 A\n  b\n", "  a  1 B\n  a:b  -1 B\n  a  1 A ==* 1 A\n  b\n",
        "  a:b  1 B\n  a  ==* 1 A\n  b\n",
        "  (a)  1\n  a  1 = 2\n  b\n",
        "  (a)  1\n  a  1 = 1\n  b\n", "  [a]  1\n  a  1\n  b\n", "  [a]  1\n  [b]  -1\n", "  [a]  1\n  [b]\n  c  0\n",
        "  [a]  1\n  [b]  1\n", "  [a]  0\n", "  (a)\n", "  (a)  1\n  b\n", "  a  0\n", "  a  1\n", "  a  0 = 1\n", "",
        "  a  = 1\n", "  a  = 0\n", "  a  = 1\n  b  = -1\n", "  a  = 1\n  b  = 1\n", "  a  1 A = 1 A @ 2 B\n  b\n",
        "  a  = 1\n  a  = 2\n  b  = -2\n", "  a  1 A {2 B} @ 3 B\n  b  -3 B\n", "  a  1 A {2 B}\n  b  -2 B\n",
        "  a  1 A {2 B} @ 3 B\n  b  -2 B\n", "  a  = 1\n  b  1\n  c\n  d\n", "  a  1\n  b\n  c  = 0\n  d\n",
    ])
    func claimsAndVirtualPostingsAreAcceptedWhereHledgerAcceptsThem(postings: String) throws {
        let text = "2024-01-01\n" + postings

        let isAccepted = (try? AccountBalances(of: parse(text))) != nil

        #expect(try isAccepted == Hledger.accepts(text), "\(text)")
    }

    /// Comments of a posting that is counted by an assignment on 2024-01-15, or not.
    @Test(arguments: [
        "date:2024-02-01", "[2024-02-01]", "[=2024-02-01]", "x [2024-02-01=2024-03-01] [2024-01-02]", "date:",
        "date: foo", "x:1, date: 2/1 foo, y", "x date:2/1", "xdate:2/1", "x:1 date:2/1", "y\n  ; date:2/1",
        "y\n  ; date:2/1\n  ; date:1/2", "Date:2/1", "[1.2.3.4]", "[1.2]", "[12]", "[13.45]", "[=13.45]",
        "date2:13.45", "date2:x", "date2:2/1", "x:[2024-02-01]", "date:[2024-02-01]", "[2024-02-01",
        "[2024-02-01]:x,[2024-01-02]", ":date:2/1", "x : date:2/1", "x::date:2/1", "x :y date:2/1",
        "date: 2/1, [2024-01-02]", "date: 2/1 [foo, [2024-13-02]", "date:2/1[2.34.4]", "date:2/1x", "[2025-01-01=]",
        "[1-1==]", "[--1]", "[1-]", "[ 2024-02-01]", "[[2024-02-01]]", "x, date:2/1", "xx,date:2/1", ";date:2/1",
        "y:[2/1\n  ;foo]", "x:,date:2/1", ":,date:2/1", "é\u{A0}date:2/1", "date:2024-01-12", "y: a,b date:2/1",
    ])
    func postingDatesAreThoseOfHledger(comment: String) throws {
        let text = "2024-01-10\n  a  10  ;\(comment)\n  b\n2024-01-15\n  a  = 5\n  c\n"

        let ours = try? AccountBalances(of: parse(text))

        #expect(try (ours != nil) == Hledger.accepts(text))
        if let ours { #expect(try ours.differences(from: Hledger.withJournals([text], Hledger.balances)) == []) }
    }

    @Test(arguments: [
        "2024-01-10\n  a  10 = 10  ; date:2024-02-01\n  b\n2024-01-15\n  a  1 = 1\n  c\n",
        "2024-01-10\n  a  10 = 11  ; date:2024-02-01\n  b\n2024-01-15\n  a  1 = 1\n  c\n",
        "2024-01-10\n  a  10\n  b  = -10  ; date:2024-02-01\n",
        "2024-01-10\n  a  = 10\n  b  ; date:2024-02-01\n2024-01-15\n  b  = 5\n  c\n",
        "2024-01-10\n  a  = 10\n  b  -10 = -10  ; date:2024-02-01\n2024-01-15\n  b  1 = -9\n  c\n",
        "2024-01-10\n  (a)  10  ; [1/20]\n  b  0\n2024-01-15\n  a  = 5\n  c\n",
        "2024-01-10\n  a  10\n  b  ; [1/20]\n2024-01-15\n  b  = 5\n  c\n2024-01-25\n  b  0 = -5\n",
        "2024-01-10  ; date:2/1\n  ; [2/1] date:x\n  a  10\n  b\n2024-01-15\n  a  = 5\n  c\n",
        "2024-01-10\n  a  10  ; [1/20]\n  b  1\n2024-01-15\n  a  1 = 1\n  c\n",
        "2024-01-10 note\n2024-01-15\n  a  1 = 1\n  c\n", "2024-01-10 note\n2024-01-15\n  a  1 = 2\n  c\n",
        "2024-01-10\n  a\n2024-01-15\n  a  1 = 2\n  c\n", "2024-01-10 note\n2024-01-15\n  a  = 2\n  c\n",
        "2024-01-10\n  b  0  ; [1/20]\n2024-01-15\n  a  1 = 2\n  c\n",
        "2024-01-10\n  a  1\n  b  1\n2024-01-15\n  a  1 = 2\n  c\n",
    ])
    func balancesAreSummedAtTheDatesOfPostings(text: String) throws {
        let ours = try? AccountBalances(of: parse(text))

        #expect(try (ours != nil) == Hledger.accepts(text))
        if let ours { #expect(try ours.differences(from: Hledger.withJournals([text], Hledger.balances)) == []) }
    }

    @Test(arguments: [
        "/o/ = E", "/a|ab/ = X", "/(a|ab)(c|bcd)(d*)/ = \\3-\\2-\\1", "/x*/ = -", "/(a)(b)?/ = <\\2>",
        "/[[:digit:]]+/ = N",
        "/a{2}/ = N", "/a{1,2}/ = N", "/a{2,}/ = N", "/a{0}b/ = Z", "/a{x/ = X", "/a/ =", "/a/=b ; c", "/a.c/ = z\\",
        "/(a|b)*/ = <\\1>", "/(a*)*/ = <\\1>", "/((a)|(b))+/ = <\\1,\\2,\\3>", "/(ab?){2}/ = <\\1>", "/[]a-]+/ = X",
        "/ä/ = X", "/()b/ = X\\1", "/(b()c)/ = <\\2>", "/(^a|b$)/ = X", "/a^b/ = Z", "/^/ = root:", "/$/ = :leaf",
        "/z/ = (y)",
        "/[^a]/ = z", "/([a-c]+)([b-d]*)/ = <\\1,\\2>", "/./ = .", "/\\./ = D", "/ab/ = b\nalias b = c\nalias /c/ = d",
    ])
    func patternsOfAliasesReplaceTheTextThatHledgerReplaces(alias: String) throws {
        let text = "alias \(alias)\n2024-01-01\n  a2bcd.aab]Ärz abaabb:cab{x  1\n  [z]  1\n  [ab:B]\n  z:ABC\n"

        let ours = try AccountBalances(of: parse(text))

        #expect(try ours.differences(from: Hledger.withJournals([text], Hledger.balances)) == [])
    }

    /// Small journals of random claims, on accounts that include each other.
    @Test(arguments: 0..<8)
    func exactlyTheClaimsThatHledgerRefusesAreRefused(batch: UInt64) throws {
        var acceptedCount = 0
        for index in 0..<20 {
            let seed = Self.seed + batch * 20 + UInt64(index)
            let text = claims(seed: seed)

            let isAccepted = (try? AccountBalances(of: parse(text))) != nil

            #expect(try isAccepted == Hledger.accepts(text), "seed \(seed):\n\(text)")
            if isAccepted { acceptedCount += 1 }
        }

        #expect((1...19).contains(acceptedCount), "the generator leans too far to one side")
    }

    private func claims(seed: UInt64) -> String {
        var random = SplitMix64(seed: seed)
        var text = ""
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            text += "2024-01-0\(Int.random(in: 1...3, using: &random))\n"
            for _ in 0..<2 {
                let account = random.pick(["a", "a:b", "a:b:c", "a:d"])
                text += "  \(account)  \(random.pick(["1", "-1", "0"])) \(random.pick(["A", "B"]))"
                if random.happens(percent: 35) {
                    text += " \(random.pick(["=", "==", "=*", "==*"]))"
                    text += " \(random.pick(["0", "0", "1", "1", "-1"])) \(random.pick(["A", "B"]))"
                }
                text += random.happens(percent: 20) ? "  ; [2024-01-0\(random.pick(["1", "2", "3"]))]\n" : "\n"
            }
            text += "  z\n"
        }
        return text
    }

    @Test(arguments: [
        "1e3", "1.5e3", "1,5e3", "1.234e2", "-1,234E2", "1.000,5e2", "1 000e2", "1e-3", "1.50e1", "1E+3", "1e3EUR",
        ".5e1",
        "1.e2", "0e5", "EUR 1.5e3", "1e", "1e EUR", "1.25e-4",
    ])
    func numbersWithAnExponentAreThoseOfHledger(amount: String) throws {
        let text = "2024-01-01\n  a  \(amount)\n  b\n"

        let ours = try? AccountBalances(of: parse(text))

        #expect(try (ours != nil) == Hledger.accepts(text))
        if let ours { #expect(try ours.differences(from: Hledger.withJournals([text], Hledger.balances)) == []) }
    }

    @Test func aDeclaredMarkTellsGroupsBeforeAnExponent() throws {
        let text = "commodity 1,000.00 EUR\n2024-01-01\n  a  1,234e2 EUR\n  b\n"

        #expect((try? parse(text)) == nil)
        #expect(try !Hledger.accepts(text))
    }

    private func nearMiss(seed: UInt64) throws -> String {
        var random = SplitMix64(seed: seed)
        let commodities = random.happens(percent: 50) ? ["A", "B"] : ["A", "B", "C"]
        let numbers = ["0", "1", "-1", "2", "-2", "3", "1.5", "-1.5", "-0.5", "0.25", "1.00", "-1.004", "0.005"]
        let prices = ["0", "1", "2", "0.5", "1.25", "0.335", "1.005", "3.00", "0.3333"]
        var lines: [String] = []
        if random.happens(percent: 50) {
            for account in ["a", "b", "c", "d"].prefix(Int.random(in: 2...4, using: &random)) {
                var line = "  \(account)  \(random.pick(numbers)) \(random.pick(commodities))"
                if random.happens(percent: 40) {
                    line += " \(random.pick(["@", "@@"])) \(random.pick(prices)) \(random.pick(commodities))"
                }
                lines.append(line)
            }
        } else {
            // A cost and its total, rounded and perhaps slightly wrong.
            let bought = try #require(Quantity(random.pick(["1", "1.5", "3", "-3", "10", "0.7"])))
            let price = Amount(try #require(Quantity(random.pick(prices))), "B")
            let isTotal = random.happens(percent: 30)
            let cost = try (isTotal ? Cost.total(price) : .unit(price)).amount(for: bought)
            let paid = cost.quantity.negated.rounded(toScale: Int.random(in: 0...3, using: &random))
            let slip = try Quantity(mantissa: random.pick([0, 0, 1, -1, 5]), scale: paid.scale)
            lines.append("  a  \(bought) A \(isTotal ? "@@" : "@") \(price)")
            lines.append("  b  \(try paid.adding(slip)) \(random.pick(["B", "B", "B", "C @ 1 B", "C @ 1.0 B"]))")
            if random.happens(percent: 30) {
                lines.append("  c  \(random.pick(["0.00 B", "0.004 B", "-0.01 B", "0 C"]))")
            }
        }
        if random.happens(percent: 10) { lines.append("  e") }
        return "2024-01-01\n" + lines.joined(separator: "\n") + "\n"
    }
}
