//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation

/// The program: a tour when it is called without a command.
@main
struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Keeps double-entry accounts, imported from plain-text accounting journals.",
        discussion: """
            Called without a command it gives a tour: it makes a database in the current folder, imports a \
            journal that comes with the program, and shows the balances.
            """,
        version: "0.1.0",
        subcommands: [
            Tour.self, Import.self, Balance.self, Register.self, Accounts.self, Rule.self, Serve.self,
            DeadLetterCommands.self,
        ],
        defaultSubcommand: Tour.self
    )

    /// Runs the program.
    static func main() async {
        // A file that reaches the size limit of the process is an error with a message, and not the end of the process.
        _ = signal(SIGXFSZ, SIG_IGN)
        await main(nil)
    }
}
