// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LedgerApplication
import LedgerBooks

/// Reverses a transaction.
struct Reverse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Corrects a transaction: posts another transaction with the opposite amounts.",
        discussion: """
            Both transactions stay in the books and refer to each other. A transaction is reversed at most once. To \
            restore its effect, reverse the reversal.
            """
    )

    @Argument(
        help: ArgumentHelp("The identifier of the transaction, from 'ledger transactions'.", valueName: "id"),
        transform: Reverse.id
    )
    var transaction: UUID

    @Option(
        help: ArgumentHelp(
            "The date of the reversal, as in 2026-01-31; today by default, or the later date of the transaction.",
            valueName: "day"
        ),
        transform: BookDate.init(argument:)
    )
    var date: BookDate?

    @Option(help: ArgumentHelp("The reason, as the comment of the reversal.", valueName: "text"))
    var comment = ""

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let command = ReverseTransaction(transaction, on: date, comment: comment)
        let (id, reversal) = try await LedgerSession.with(database: database.location) { session in
            let id = try await session.carryOut(command)
            return (id, try await session.ask(GetTransaction(id: id)))
        }
        let day = reversal.map { " on \($0.date)" } ?? ""
        print("The transaction \(transaction) is reversed by the transaction \(id)\(day).")
    }

    private static func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw ValidationError(
                "'\(Report.printable(text))' isn't the identifier of a transaction. To fix, copy one from 'ledger "
                    + "transactions'."
            )
        }
        return id
    }
}

extension BookDate {
    /// Creates the date of an argument.
    ///
    /// - Throws: `ValidationError` if `argument` isn't a date.
    init(argument: String) throws {
        guard let date = BookDate(argument) else {
            throw ValidationError("'\(Report.printable(argument))' isn't a date. To fix, write it as in 2026-01-31.")
        }
        self = date
    }
}
