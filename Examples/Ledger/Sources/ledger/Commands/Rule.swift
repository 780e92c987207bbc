//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Sets the rule of an account.
struct Rule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sets the rule of an account. Without an option, removes it.",
        discussion: "Transactions that would break the rule are refused from now on."
    )

    @Argument(help: "The full name of the account.")
    var account: String

    @Flag(help: "The balance must not be negative in any commodity.")
    var neverBelowZero = false

    @Option(
        help: ArgumentHelp("The first day on which nothing may be posted, as in 2026-01-31.", valueName: "day"),
        transform: BookDate.init(argument:)
    )
    var closedFrom: BookDate?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let rule = AccountRule(neverBelowZero: neverBelowZero, closedFrom: closedFrom)
        try await LedgerSession.with(database: database.location) { [account] session in
            try await session.carryOut(SetAccountRule(rule == AccountRule() ? nil : rule, of: account))
        }
    }
}
