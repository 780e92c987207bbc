//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LedgerApplication

/// Prints the names of the accounts.
struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the names of all accounts.")

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        try await LedgerSession.with(database: database.location, for: .reading) { session in
            printLines(try await session.ask(GetAccounts()).map(Report.printable))
        }
    }
}
