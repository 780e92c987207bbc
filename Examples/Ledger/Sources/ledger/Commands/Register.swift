// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Prints the postings to accounts.
struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the postings to accounts, with the running total.",
        discussion: """
            The total includes the postings before the period.

            \(AccountOptions.patterns)
            """
    )

    @Argument(help: ArgumentHelp("Patterns of account names.", valueName: "account"))
    var accounts: [String]

    @OptionGroup var period: PeriodOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let query = GetRegister(matching: accounts, in: period.period)
        let (entries, style) = try await LedgerSession.with(database: database.location, for: .reading) { session in
            (try await session.ask(query), AmountStyle(try await session.ask(GetCommodityScales())))
        }
        switch format.format {
        case .table: printLines(Report.register(entries, style, terminal: .standardOutput))
        case .csv, .json:
            let formatter = RowFormatter(format.format, columns: GetRegister.Entry.columns)
            printLines(try formatter.lines(ofAll: entries.map { $0.row(style.quantity(of:)) }))
        }
    }
}
