// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Prints the income and the expenses of a period.
struct IncomeStatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "income-statement",
        abstract: "Prints the income and the expenses of a period.",
        discussion: accountTypes
    )

    @OptionGroup var period: PeriodOptions
    @OptionGroup var accounts: AccountOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let query = GetIncomeStatement(in: period.period, depth: accounts.depth)
        let (statement, style) = try await LedgerSession.with(database: database.location, for: .reading) { session in
            (try await session.ask(query), AmountStyle(try await session.ask(GetCommodityScales())))
        }
        try Report.print(
            Report.title("Income statement", of: statement.period),
            [("Income", statement.income), ("Expenses", statement.expenses)],
            net: statement.net,
            untyped: statement.untyped,
            isTree: accounts.tree,
            format.format,
            style
        )
    }
}

/// Prints the assets and the liabilities at the end of a day.
struct BalanceSheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance-sheet",
        abstract: "Prints the assets and the liabilities.",
        discussion: accountTypes
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The first day that isn't included, as in 2027-01-01 or 2027; none by default.", valueName: "day"),
        transform: BookDate.init(firstOf:)
    )
    var end: BookDate?

    @Flag(help: "Include the accounts below 'equity', which aren't part of the net amount.")
    var equity = false

    @OptionGroup var accounts: AccountOptions
    @OptionGroup var format: FormatOption
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let query = GetBalanceSheet(before: end, depth: accounts.depth)
        let (sheet, style) = try await LedgerSession.with(database: database.location, for: .reading) { session in
            (try await session.ask(query), AmountStyle(try await session.ask(GetCommodityScales())))
        }
        try Report.print(
            Report.title("Balance sheet", of: BookPeriod(before: sheet.end)),
            [("Assets", sheet.assets), ("Liabilities", sheet.liabilities)] + (equity ? [("Equity", sheet.equity)] : []),
            net: sheet.net,
            untyped: sheet.untyped,
            isTree: accounts.tree,
            format.format,
            style
        )
    }
}

private let accountTypes = """
    The top-level account decides the type of an account: 'assets', 'liabilities' or 'debts', 'equity', 'income' or \
    'revenues', and 'expenses', in the singular or plural, and in upper or lower case. Accounts without a type are left \
    out, and their names are printed to the standard error.
    """

extension Report {
    /// Prints a report with sections, and the accounts that it leaves out.
    fileprivate static func print(
        _ title: String,
        _ sections: [(name: String, section: ReportSection)],
        net: [Amount],
        untyped: [String],
        isTree: Bool,
        _ format: FormatOption.Format,
        _ style: AmountStyle
    ) throws {
        switch format {
        case .table:
            printLines(
                try statement(title, sections, net: net, isTree: isTree, style, terminal: .standardOutput))
        case .csv, .json:
            let formatter = RowFormatter(format, columns: ["section", "account", "commodity", "amount"])
            printLines(try formatter.lines(ofAll: try rows(sections, net: net, isTree: isTree, style)))
        }
        guard !untyped.isEmpty else { return }
        let names = untyped.prefix(5).map { "'\(printable($0))'" }.joined(separator: ", ")
        printRemark(
            "Left out, because the type of \(untyped.count == 1 ? "this account" : "these accounts") is unknown: \(names)"
                + (untyped.count > 5 ? ", and \(untyped.count - 5) more" : "") + "."
        )
    }
}
