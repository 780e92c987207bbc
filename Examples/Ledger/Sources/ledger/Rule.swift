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
        abstract: "Has a rule hold of an account, instead of the one that it has; none without an option.",
        discussion: "Whatever would break the rule is refused from now on, whoever posts it."
    )

    @Argument(help: "The full name of the account.")
    var account: String

    @Flag(help: "In no commodity there may be less than nothing on the account.")
    var neverBelowZero = false

    @Option(help: ArgumentHelp("Nothing may be posted on this day and later ones: 2026-01-31.", valueName: "day"))
    var closedFrom: String?

    @OptionGroup var database: DatabaseOption

    func validate() throws {
        if let closedFrom, BookDate(closedFrom) == nil {
            throw ValidationError("'\(Report.printable(closedFrom))' is not a day. To fix, write it as in 2026-01-31.")
        }
    }

    func run() async throws {
        let rule = AccountRule(neverBelowZero: neverBelowZero, closedFrom: closedFrom.flatMap { BookDate($0) })
        try await Session.with(database: database.path) { [account] session in
            try await session.carryOut(SetAccountRule(rule == AccountRule() ? nil : rule, of: account))
        }
    }
}
