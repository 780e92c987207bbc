// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Lists the rules of the accounts.
struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the rules of the accounts.",
        discussion: """
            Set the rule of an account with 'ledger rule'.

            \(AccountOptions.patterns)
            """
    )

    @Argument(
        help: ArgumentHelp("Patterns of account names; all accounts by default.", valueName: "account")
    )
    var accounts: [String] = []

    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let query = GetAccountRules(matching: accounts)
        let rules = try await LedgerSession.with(database: database.location, for: .reading) { session in
            try await session.ask(query)
        }
        switch format.format {
        case .table: printLines(Report.table(rules))
        case .csv, .json:
            let formatter = RowFormatter(format.format, columns: ["account", "never_below_zero", "closed_from"])
            let rows = rules.map {
                [$0.account, "\($0.rule.neverBelowZero)", $0.rule.closedFrom?.description ?? ""].map(TableCell.text)
            }
            printLines(try formatter.lines(ofAll: rows))
        }
    }
}

extension Report {
    /// Returns the rules in two columns.
    static func table(_ rules: [GetAccountRules.RuledAccount]) -> [String] {
        let names = rules.map { printable($0.account) }
        let width = names.map(\.count).max() ?? 0
        return zip(rules, names).map { ruled, name in
            let parts =
                (ruled.rule.neverBelowZero ? ["never below zero"] : [])
                + (ruled.rule.closedFrom.map { ["closed from \($0)"] } ?? [])
            return name + String(repeating: " ", count: width - name.count) + "  " + parts.joined(separator: ", ")
        }
    }

}
