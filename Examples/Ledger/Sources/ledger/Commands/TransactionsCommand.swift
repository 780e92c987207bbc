// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Headrace
import LedgerApplication
import LedgerBooks

/// Lists transactions.
struct TransactionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "Lists transactions with their identifiers, the oldest first.",
        discussion: """
            The table is a journal: 'ledger import' and similar programs can read it. Identifiers are in its comments. Amounts have \
            the digits with which they were posted. Texts that the server has accepted can have another meaning in a journal, such \
            as a description with ';'. The formats 'csv' and 'json' have no such limit.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            Words that must all occur in the description, the code, the comment, or the account names, in upper or lower \
            case; all transactions by default.
            """,
            valueName: "word"
        )
    )
    var words: [String] = []

    @Option(help: "The full name of an account; its subaccounts are included.")
    var account: String?

    @Option(help: ArgumentHelp("List only the newest transactions, the newest first.", valueName: "number"))
    var latest: Int?

    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        if let latest, latest < 1 { throw ValidationError("'--latest' is \(latest). To fix, use 1 or more.") }
    }

    func run() async throws {
        let command = self
        try await LedgerSession.with(database: database.location, for: .reading) { session in
            let style = AmountStyle(try await session.ask(GetCommodityScales()))
            var output = Output(command.format.format, style)
            var remaining = command.latest ?? .max
            var query = command.query(limit: remaining)
            var isEmpty = true
            while true {
                let page = try await session.ask(query)
                isEmpty = isEmpty && page.transactions.isEmpty
                try printLines(output.lines(of: page.transactions))
                remaining -= page.transactions.count
                guard let next = page.next, remaining > 0 else { break }
                query = command.query(after: next, limit: remaining)
            }
            printLines(output.end())
            if isEmpty, !command.words.isEmpty {
                printRemark("No transaction has the words \(Report.quoted(command.words, "and")).")
            }
        }
    }

    private func query(after cursor: PageCursor? = nil, limit: Int) -> GetTransactions {
        GetTransactions(
            in: period.period,
            containing: words.joined(separator: " "),
            account: account,
            order: latest == nil ? .oldestFirst : .newestFirst,
            after: cursor,
            limit: min(limit, 256)
        )
    }

    /// The lines of the output, page by page.
    private struct Output {
        private let style: AmountStyle
        private var formatter: RowFormatter?

        init(_ format: FormatOption.Format, _ style: AmountStyle) {
            self.style = style
            formatter =
                format == .table ? nil : RowFormatter(format, columns: GetTransaction.Posted.columns)
        }

        mutating func lines(of transactions: [GetTransaction.Posted]) throws -> [String] {
            let rows = transactions.flatMap { $0.rows(style.quantity(of:)) }
            return try formatter?.lines(of: rows)
                ?? transactions.flatMap { Report.lines(of: $0, terminal: .standardOutput) }
        }

        func end() -> [String] { formatter?.end() ?? [] }
    }
}
