//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LedgerApplication

/// Prints what was posted to an account.
struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints what was posted to an account and the accounts below it, with the running total."
    )

    @Argument(help: "The full name of the account.")
    var account: String

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let session = try Session(database: database.path)
        printLines(Report.register(try await session.ask(GetRegister(of: account))))
    }
}
