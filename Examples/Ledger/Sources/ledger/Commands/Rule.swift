// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication
import LedgerBooks

/// Sets the rule of an account.
struct Rule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sets or removes the rule of an account. Without an option, prints it and those of its parents.",
        discussion: """
            A rule holds for the account and for each of its subaccounts. Transactions that would break it are refused from \
            now on.
            """
    )

    @Argument(help: "The full name of the account.")
    var account: String

    @Flag(help: "No balance may be negative in any commodity.")
    var neverBelowZero = false

    @Option(
        help: ArgumentHelp("The first day on which nothing may be posted, as in 2026-01-31.", valueName: "day"),
        transform: BookDate.init(argument:)
    )
    var closedFrom: BookDate?

    @Flag(help: "Remove the rule.")
    var remove = false

    @OptionGroup var database: DatabaseOption

    /// The new rule; without conditions if no option sets one.
    private var rule: AccountRule { AccountRule(neverBelowZero: neverBelowZero, closedFrom: closedFrom) }

    func validate() throws {
        if remove, rule != AccountRule() {
            throw ValidationError(
                "'--remove' and a new rule exclude each other. To fix, omit '--remove', as a new rule replaces the old one."
            )
        }
    }

    func run() async throws {
        if rule == AccountRule(), !remove { return try await printRules() }
        try await LedgerSession.with(database: database.location) { [account, rule, remove] session in
            try await session.carryOut(SetAccountRule(remove ? nil : rule, of: account))
        }
    }

    private func printRules() async throws {
        let rules = try await LedgerSession.with(database: database.location, for: .reading) { [account] session in
            try await session.ask(GetAccountRule(of: account))
        }
        if rules.isEmpty { print("The account has no rule.") }
        printLines(Report.table(rules))
    }
}
