//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LedgerApplication

/// Prints the balances of the accounts.
struct BalanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Prints the balances of the accounts that aren't zero."
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, csv, json
    }

    @Argument(
        help: ArgumentHelp(
            "Parts of account names, in upper or lower case; all accounts by default.", valueName: "account")
    )
    var accounts: [String] = []

    @Option(help: "The output format.")
    var format: Format = .table

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let (balances, style) = try await LedgerSession.with(database: database.location, for: .reading) {
            [accounts] session in
            (
                try await session.ask(GetBalances(matching: accounts)),
                AmountStyle(try await session.ask(GetCommodityScales()))
            )
        }
        switch format {
        case .table: printLines(Report.table(balances, style))
        case .csv: printLines(Report.csv(balances, style))
        case .json: print(try Report.json(balances, style))
        }
    }
}
