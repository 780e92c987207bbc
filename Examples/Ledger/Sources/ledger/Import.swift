//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import Headrace
import LedgerApplication

/// Imports journals, one unit of work each.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports plain-text accounting journals.",
        discussion: """
            A journal is imported whole or, if it has an error, not at all. Transactions that are in the books already, \
            from an earlier import of the same file or of a shorter version of it, are not posted again.

            The books tell journals apart by their names. If you import several sources from the standard input, give \
            each a '--name'.
            """
    )

    @Argument(
        help: ArgumentHelp("The journals to import; '-' is the standard input.", valueName: "file"),
        completion: .file(extensions: ["journal", "j", "hledger", "ledger"])
    )
    var files: [String]

    @Option(help: "The name of the journal that is read from the standard input.")
    var name: String?

    @OptionGroup var database: DatabaseOption

    func validate() throws {
        let count = files.count { $0 == JournalFile.standardInput }
        if count > 1 {
            throw ValidationError("The standard input can be read once. To fix, give '-' once.")
        }
        guard let name else { return }
        if count == 0 {
            throw ValidationError(
                "'--name' is for the standard input. To fix, add '-' or leave the name out: a file has its own."
            )
        }
        if !JournalFile.isName(name) {
            throw ValidationError("The name of a journal has 1 to 255 bytes, and neither '/' nor control characters.")
        }
    }

    func run() async throws {
        // All are read before the first is posted, so that an error in the third leaves the books as they were.
        let journals = try files.map { try JournalFile(path: $0, standardInputName: name) }
        let progress = TerminalProgress.ifTerminal()
        try await Session.with(database: database.path, for: .creating, progress: progress) { session in
            for journal in journals {
                print(try await session.import(journal))
            }
        }
    }
}
