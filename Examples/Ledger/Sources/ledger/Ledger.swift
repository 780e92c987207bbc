// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program.
///
/// Without a command, it runs the tour.
@main
struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Double-entry accounting with plain-text journals.",
        discussion: """
            Without a command, it runs a tour: it creates a database in the current folder, imports a sample journal, and \
            prints the balances.

            If an event can't be delivered, it becomes a dead letter. The tool 'headrace' lists, replays, and discards dead \
            letters, and so does the inspector of 'serve'.
            """,
        version: "0.1.0",
        subcommands: [
            Tour.self, ImportCommand.self, BalanceCommand.self, IncomeStatementCommand.self, BalanceSheetCommand.self,
            Register.self, TransactionsCommand.self, Accounts.self, Reverse.self, Rule.self, Rules.self, Serve.self,
            Token.self, Migrate.self,
        ],
        defaultSubcommand: Tour.self
    )

    /// Runs the program.
    static func main() async {
        // A file that reaches the size limit of the process causes an error instead of the end of the process.
        _ = signal(SIGXFSZ, SIG_IGN)
        // The books and their copies are for the eyes of this user.
        umask(0o077)
        await main(nil)
    }
}
