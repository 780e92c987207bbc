// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LedgerApplication

/// Demonstrates the program with a sample journal.
struct Tour: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Demonstrates the program with a sample journal."
    )

    func run() async throws {
        let database = Self.freshName()
        let sample = try JournalFile(
            name: "sample.journal",
            path: "sample.journal",
            bytes: PackageResources.sample_journal
        )

        print("A new database, '\(database)', and a sample journal.\n")
        try await LedgerSession.with(database: .file(database), for: .creating) { session in
            print("Import: all transactions of a journal are one unit of work.")
            print("  \(try await session.import(sample))\n")

            print("Events: stored with the changes, then handled.")
            for (event, count) in session.activity.events.sorted(by: { $0.key < $1.key }) {
                print("  \(count) × \(event)")
            }

            print("\nBalances: a query.")
            let balances = try await session.ask(GetBalances())
            let style = AmountStyle(try await session.ask(GetCommodityScales()))
            let lines = balances.map { AccountLine($0.account, [$0.amount]) }
            let total = try AccountLine.total(of: lines)
            let column = AmountColumn(balances.map(\.amount) + total, style)
            printLines(Report.table(lines, total: total, in: column).map { "  \($0)" })
        }
        print(
            """

            Next, with these words after the name of the program:
              balance food --database \(database)
              register assets:bank:checking --database \(database)
              import YOUR.journal --database \(database)
              serve --database \(database)
              --help
            """
        )
    }

    /// Returns an unused file name in the current folder.
    private static func freshName() -> String {
        var name = "ledger-tour.sqlite"
        var number = 2
        while FileManager.default.fileExists(atPath: name) {
            name = "ledger-tour-\(number).sqlite"
            number += 1
        }
        return name
    }
}
