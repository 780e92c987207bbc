//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LedgerApplication

/// Prints the postings to an account.
struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the postings to an account and its subaccounts, with the running total."
    )

    @Argument(help: "The full name of the account.")
    var account: String

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let (entries, style) = try await LedgerSession.with(database: database.location, for: .reading) {
            [account] session in
            (
                try await session.ask(GetRegister(of: account)),
                AmountStyle(try await session.ask(GetCommodityScales()))
            )
        }
        printLines(Report.register(entries, style))
    }
}
