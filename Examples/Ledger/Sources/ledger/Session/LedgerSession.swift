// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication

/// An open ledger, for one command of the program.
struct LedgerSession: Sendable {
    /// The access of a command to the database.
    enum Access {
        /// Reads, even if the user may not write the database.
        case reading

        /// Reads and writes.
        case writing

        /// Reads and writes.
        ///
        /// A missing database is created.
        case creating
    }

    private let dispatcher: any CommandQueryDispatcher
    let activity: ActivityLog

    private init(_ store: LedgerStore, progress: any ImportProgress) throws {
        var configuration = LedgerComposition.Configuration()
        configuration.progress = progress
        let container = try LedgerComposition.makeContainer(on: store.base, configuration: configuration)
        dispatcher = container.resolve()
        activity = container.resolve()
    }

    /// Opens the ledger in `database`, runs `body`, and closes the ledger, even after an error or a signal.
    ///
    /// Afterwards, a file contains all data. There are no other files beside it unless another program has it open.
    ///
    /// - Throws: ``CommandFailure``; `ExitCode` if a signal ended `body`.
    static func with<Value: Sendable>(
        database: LedgerDatabase,
        for access: Access = .writing,
        progress: any ImportProgress = NoOpImportProgress(),
        _ body: @escaping @Sendable (LedgerSession) async throws -> Value
    ) async throws -> Value {
        if let path = database.path, access != .creating, !FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(
                "There is no database '\(path)'. To fix, import a journal first: ledger import FILE --database '\(path)'"
            )
        }
        let copy = access == .reading ? try database.path.flatMap { try ReadingCopy(ifNeededFor: $0) } : nil
        defer { copy?.remove() }
        do {
            let store = try await CommandFailure.telling {
                try await (copy.map { LedgerDatabase.file($0.path) } ?? database).open()
            }
            let session = try CommandFailure.telling {
                do {
                    return try LedgerSession(store, progress: progress)
                } catch {
                    try? store.close()
                    throw error
                }
            }
            let outcome = await outcome(of: body, on: session)
            let closing = Result { try CommandFailure.telling { try store.close() } }
            let value = try outcome.get()
            try closing.get()
            return value
        } catch let failure as CommandFailure {
            guard let copy, let path = database.path else { throw failure }
            throw CommandFailure(failure.description.replacing(copy.path, with: path))
        }
    }

    private static func outcome<Value: Sendable>(
        of body: @escaping @Sendable (LedgerSession) async throws -> Value,
        on session: LedgerSession
    ) async -> Result<Value, any Error> {
        do {
            return .success(try await Interruption.cancelling { try await body(session) })
        } catch {
            return .failure(error)
        }
    }

    /// Dispatches a query.
    func ask<Query: CQDQuery>(_ query: Query) async throws -> Query.Value {
        try await CommandFailure.telling { try await dispatcher.dispatch(query) }
    }

    /// Dispatches a command, and returns its result.
    @discardableResult
    func carryOut<Command: CQDCommand>(_ command: Command) async throws -> Command.Output {
        try await CommandFailure.telling { try await dispatcher.dispatch(command) }
    }

    /// Imports `file`, and returns the outcome as one line.
    func `import`(_ file: JournalFile, missing: MissingTransactions = .refuse) async throws -> String {
        let place = file.path.map { path in
            JournalPlace(path) { FileManager.default.fileExists(atPath: $0) }
        }
        let outcome = try await carryOut(
            ImportJournal(file.journal, named: file.name, content: file.content, at: place, missing: missing)
        )
        return Report.line(of: file, outcome: outcome, missing: missing)
    }
}
