// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication

/// Prints the names of accounts.
struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the names of all accounts.",
        discussion: """
            With a begin or an end, it prints the accounts with postings in the period.

            \(AccountOptions.patterns)
            """
    )

    @Argument(
        help: ArgumentHelp("Patterns of account names; all accounts by default.", valueName: "account")
    )
    var accounts: [String] = []

    @OptionGroup var period: PeriodOptions
    @OptionGroup var options: AccountOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let query = GetAccounts(matching: accounts, in: period.period, depth: options.depth)
        let names = try await LedgerSession.with(database: database.location, for: .reading) { session in
            try await session.ask(query)
        }
        let flat = names.map { AccountLine($0, []) }
        if flat.isEmpty, !accounts.isEmpty {
            printRemark("No account matches \(Report.quoted(accounts, "or")).")
        }
        let lines = options.tree ? try AccountLine.tree(flat) : flat
        switch format.format {
        case .table: printLines(lines.map { Report.printable($0.label) })
        case .csv, .json:
            printLines(
                try RowFormatter(format.format, columns: ["account"]).lines(ofAll: lines.map { [.text($0.account)] }))
        }
    }
}
