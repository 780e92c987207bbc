// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Prints the balances of accounts.
struct BalanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Prints the balances of the accounts that aren't zero.",
        discussion: """
            With a begin or an end, or with columns, it prints the sums of the postings of the period.

            \(AccountOptions.patterns)
            """
    )

    @Argument(
        help: ArgumentHelp("Patterns of account names; all accounts by default.", valueName: "account")
    )
    var accounts: [String] = []

    @Flag(exclusivity: .exclusive)
    var columns: ColumnFlag?

    @OptionGroup var period: PeriodOptions
    @OptionGroup var options: AccountOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        if let columns { return try await printColumns(columns.interval) }
        let query = GetBalances(matching: accounts, in: period.period, depth: options.depth)
        let (balances, style) = try await LedgerSession.with(database: database.location, for: .reading) { session in
            (try await session.ask(query), AmountStyle(try await session.ask(GetCommodityScales())))
        }
        let flat = balances.map { AccountLine($0.account, [$0.amount]) }
        if flat.isEmpty { remarkOnPatterns() }
        let lines = options.tree ? try AccountLine.tree(flat) : flat
        switch format.format {
        case .table:
            let total = try AccountLine.total(of: flat)
            let column = AmountColumn(lines.flatMap(\.amounts) + total, style, terminal: .standardOutput)
            printLines(Report.table(lines, total: total, in: column))
        case .csv, .json:
            let formatter = RowFormatter(format.format, columns: ["account", "commodity", "amount"])
            printLines(try formatter.lines(ofAll: Report.rows(lines, style)))
        }
    }

    private func remarkOnPatterns() {
        if accounts.isEmpty { return }
        printRemark("No account that matches \(Report.quoted(accounts, "or")) has a balance.")
    }

    private func printColumns(_ interval: BookInterval) async throws {
        let query = GetBalanceColumns(by: interval, matching: accounts, in: period.period, depth: options.depth)
        let (columns, style) = try await LedgerSession.with(database: database.location, for: .reading) { session in
            (try await session.ask(query), AmountStyle(try await session.ask(GetCommodityScales())))
        }
        let table = try ColumnTable(columns, by: interval, isTree: options.tree)
        if table.isEmpty { remarkOnPatterns() }
        switch format.format {
        case .table: printLines(table.lines(style, terminal: .standardOutput))
        case .csv, .json:
            let formatter = RowFormatter(format.format, columns: ["account", "period", "commodity", "amount"])
            printLines(try formatter.lines(ofAll: table.rows(style)))
        }
    }
}

/// The flags for columns.
enum ColumnFlag: String, EnumerableFlag {
    case monthly, quarterly, yearly

    var interval: BookInterval {
        switch self {
        case .monthly: .month
        case .quarterly: .quarter
        case .yearly: .year
        }
    }

    static func name(for value: ColumnFlag) -> NameSpecification {
        switch value {
        case .monthly: [.customShort("M"), .long]
        case .quarterly: [.customShort("Q"), .long]
        case .yearly: [.customShort("Y"), .long]
        }
    }

    static func help(for value: ColumnFlag) -> ArgumentHelp? { "Print a column for each \(value.interval)." }
}
