// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import Testing

@Suite struct JournalIncludeTests {
    /// Parses the file `main` of `files`.
    private func parse(_ files: [String: String]) throws -> Journal {
        let parser = JournalParser { pattern, _ in
            files[pattern].map { [JournalSource(name: pattern, bytes: [UInt8]($0.utf8))] } ?? []
        }
        return try parser.parse([UInt8]((files["main"] ?? "").utf8), file: "main")
    }

    private func failure(of files: [String: String]) -> JournalError? {
        #expect(throws: JournalError.self) { try parse(files) }
    }

    @Test func theTransactionsOfAFileAreWhereItIsIncluded() throws {
        let journal = try parse([
            "main": "2024-01-01 one\n  a  1\n  b\ninclude child\n2024-01-04 four\n  a  1\n  b\n",
            "child": "2024-01-02 two\n  a  1\n  b\ninclude grandchild",
            "grandchild": "account a\n\n2024-01-03 three\n  a  1\n  b\n  (c)  1\n",
        ])

        #expect(journal.entries.map(\.transaction.description) == ["one", "two", "three", "four"])
        #expect(journal.entries.map(\.file) == [nil, "child", "grandchild", nil])
        #expect(journal.entries.map(\.line) == [1, 1, 3, 5])
        #expect(journal.skippedDirectives == ["account": 1])
        #expect(journal.leftOut == ["virtual posting": 1])
    }

    @Test func onlyFormatsOfCommoditiesLeaveAFile() throws {
        let journal = try parse([
            "main": "Y2023\nalias a = x\ninclude child\n1/2\n  a  1.000 EUR\n  b  1.000\n",
            "child": "Y2020\nalias b = y\ncommodity 1.000,00 EUR\nD 1,00 USD\n1/2\n  a  1\n  b\n",
        ])

        let transactions = journal.entries.map(\.transaction)
        #expect(transactions.map(\.date.description) == ["2020-01-02", "2023-01-02"])
        #expect(transactions.map { $0.postings.map(\.account) } == [["x", "y"], ["x", "b"]])
        #expect(transactions[0].postings[0].amount?.description == "1 USD")
        #expect(transactions[1].postings.map { $0.amount?.description } == ["1000 EUR", "1.000"])
    }

    @Test func balancesAreClaimedAcrossFiles() throws {
        let journal = try parse([
            "main": "include child\n2024-01-02\n  a  = 5 EUR\n  b\n", "child": "2024-01-01\n  a  2 EUR\n  b\n",
        ])

        #expect(journal.entries[1].transaction.postings[0].amount?.description == "3 EUR")
    }

    @Test func errorsNameTheIncludedFile() {
        let broken = failure(of: ["main": "\ninclude child\n", "child": "; fine\nbroken\n"])
        #expect(broken?.file == "child")
        #expect(broken?.line == 2)

        let failed = failure(of: ["main": "\ninclude child\n", "child": "2024-01-01\n  a  1 = 2\n  b\n"])
        #expect(failed?.file == "child")
        #expect(failed?.line == 2)
    }

    @Test(arguments: ["include main", "include other", "include"])
    func cyclesAndMissingFilesAreRefused(directive: String) {
        let error = failure(of: [
            "main": "include child\n", "child": "; fine\n\(directive)\n", "other": "include child",
        ])

        #expect(error?.code == .invalidDirective)
        #expect(error?.message.contains("To fix,") == true)
    }

    @Test func namesOfAllIncludedFilesHaveALimitTogether() {
        let postings = "2024-01-01\n" + (0..<2_000).map { "  a\($0)  1\n" }.joined()
        let parent = "apply account \(String(repeating: "p", count: 4_000))\n"
        let files = ["main": parent + String(repeating: "include child\n", count: 3), "child": postings]

        #expect(failure(of: files)?.code == .accountTooLong)
        #expect(failure(of: files)?.file == "child")
    }

    @Test func aSmallJournalCannotIncludeMoreAndMore() {
        var files = ["0": ""]
        for level in 1...30 { files["\(level)"] = "include \(level - 1)\ninclude \(level - 1)\n" }
        files["main"] = files["30"]
        #expect(failure(of: files)?.code == .invalidDirective)

        var chain = ["main": "include 1", "40": ""]
        for level in 1..<40 { chain["\(level)"] = "include \(level + 1)" }
        #expect(failure(of: chain)?.code == .invalidDirective)
    }
}
