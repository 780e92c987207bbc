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
            A journal is imported whole or, where it has an error, not at all. What the books have already, by \
            an earlier import of the same file or of a shorter version of it, is not posted again.
            """
    )

    @Argument(help: ArgumentHelp("The journals to import.", valueName: "file"))
    var files: [String]

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        // All are read before the first is posted, so that a slip in the third leaves the books as they were.
        let journals = try files.map { try JournalFile(path: $0) }
        let session = try Session(database: database.path, creates: true, progress: TerminalProgress.ifTerminal())
        for journal in journals {
            print(try await session.import(journal))
        }
    }
}
