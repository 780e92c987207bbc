// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerApplication

/// Imports journals, each in one unit of work.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports plain-text accounting journals.",
        discussion: """
            A journal is imported as a whole or, if it has an error or the import is stopped, not at all. Transactions from an earlier import of the same file, \
            or of a shorter version of it, are not posted again.

            A journal is compared with its last import. If transactions of that import are no longer in the journal, because \
            they were changed or removed, nothing is imported. With '--replace', they are reversed, each on its own \
            date, and the changed ones are posted. With '--keep', they stay in the books.

            Journals are distinguished by their paths. A renamed or moved file is found by its transactions. If you import several sources from the standard input, give each \
            source a '--name'.

            Files that a journal includes must be in its folder or below. Virtual postings, lots, posting dates, \
            secondary dates, and periodic and automated transactions are left out, and their numbers are printed.

            A transaction whose amount follows from a balance ('= 100 EUR') is refused if it was imported before and its \
            amount has changed since, because a transaction before it was added or changed.
            """
    )

    @Argument(
        help: ArgumentHelp("The journals; '-' is the standard input.", valueName: "file"),
        completion: .file(extensions: ["journal", "j", "hledger", "ledger"])
    )
    var files: [String]

    @Option(help: "The name of the journal from the standard input, or from a pipe as in '<(…)'.")
    var name: String?

    @Option(help: "The year of dates without a year, until a directive 'Y' sets another.")
    var year: Int?

    @Flag(help: "Transactions of the last import that are no longer in the journal stay in the books.")
    var keep = false

    @Flag(help: "Transactions of the last import that are no longer in the journal are reversed.")
    var replace = false

    @OptionGroup var database: DatabaseOption

    private var missing: MissingTransactions { replace ? .replace : keep ? .keep : .refuse }

    func validate() throws {
        let count = files.count { JournalFile.hasNoFile($0) }
        if count > 1 {
            throw ValidationError(
                "Several journals have no file, so they would have the same name. To fix, import each with a '--name'."
            )
        }
        if keep, replace {
            throw ValidationError("'--keep' and '--replace' exclude each other. To fix, use one of them.")
        }
        if let year, !(1...9999).contains(year) {
            throw ValidationError("'--year' must be a number from 1 to 9999. To fix, correct or omit it.")
        }
        guard let name else { return }
        if count == 0 {
            throw ValidationError(
                "'--name' is for the standard input and for pipes. To fix, add '-', or remove the name, because a file has "
                    + "a name."
            )
        }
        if !JournalFile.isName(name) {
            throw ValidationError("The name of a journal must have 1 to 255 bytes, without '/' and control characters.")
        }
    }

    func run() async throws {
        // All journals are checked before the first is posted. So an error in one of them changes nothing.
        let journals = try files.map { try JournalFile(path: $0, nameWithoutFile: name, year: year) }
        if let failure = CommandFailure(refusing: journals.map(\.journal)) { throw failure }
        let progress = TerminalProgress.ifTerminal()
        try await LedgerSession.with(database: database.location, for: .creating, progress: progress) {
            [missing] session in
            for journal in journals {
                print(try await session.import(journal, missing: missing))
            }
        }
    }
}
