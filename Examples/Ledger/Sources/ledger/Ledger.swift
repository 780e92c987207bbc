// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program.
@main
struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Double-entry accounting with plain-text journals.",
        discussion: """
            Begin with 'ledger tour': it creates a database in the current folder, imports a sample journal, and prints the \
            balances.

            If an event can't be delivered, it becomes a dead letter. The tool 'headrace' lists, replays, and discards dead \
            letters, and so does the inspector of 'serve'.
            """,
        version: "0.1.0",
        subcommands: [
            Tour.self, ImportCommand.self, BalanceCommand.self, IncomeStatementCommand.self, BalanceSheetCommand.self,
            Register.self, TransactionsCommand.self, Accounts.self, Reverse.self, Rule.self, Rules.self, Serve.self,
            Token.self, Migrate.self,
        ]
    )

    /// Runs the program.
    static func main() async {
        // A file that reaches the size limit of the process causes an error instead of the end of the process.
        _ = signal(SIGXFSZ, SIG_IGN)
        // The books and their copies are for the eyes of this user.
        umask(0o077)
        do {
            try requireCommand(in: Array(CommandLine.arguments.dropFirst()))
        } catch {
            exit(withError: error)
        }
        await main(nil)
    }

    /// Refuses an unknown command, and an unknown command whose help is asked for.
    ///
    /// The parser would call the first an unexpected argument, and would print the help of the program for the second.
    private static func requireCommand(in arguments: [String]) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let names = configuration.subcommands.map { $0._commandName }
        guard let word = words.first, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return }
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        throw ValidationError("There is no command '\(Report.printable(word))'. To fix, use one of \(known).")
    }
}
