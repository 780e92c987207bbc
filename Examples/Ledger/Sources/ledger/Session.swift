//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication

/// The books of one database, open for one command.
struct Session {
    private let dispatcher: any CommandQueryDispatcher
    let activity: ActivityLog

    /// What could not be delivered.
    let deadLetters: DeadLetters

    /// Opens the books in the file `database`; makes it where there is none if `creates` says so.
    init(
        database: String,
        creates: Bool = false,
        progress: any ImportProgress = NoOpImportProgress()
    ) throws {
        if !creates, !FileManager.default.fileExists(atPath: database) {
            throw Failure(
                "There is no database '\(database)'. To fix, import a journal first: "
                    + "ledger import FILE --database '\(database)'"
            )
        }
        let builder = ContainerBuilder()
        let store = try Failure.telling { try SQLiteStore(path: database, entities: Books.entities) }
        Books.register(in: builder, store: store, progress: progress)
        deadLetters = DeadLetters(in: store)
        let container = builder.build()
        dispatcher = container.resolve()
        activity = container.resolve()
    }

    /// Has a query answered.
    func ask<Query: CQDQuery>(_ query: Query) async throws -> Query.Value {
        try await Failure.telling { try await dispatcher.dispatch(query) }
    }

    /// Has a command carried out.
    func carryOut(_ command: some CQDCommand) async throws {
        try await Failure.telling { try await dispatcher.dispatch(command) }
    }

    /// Imports `file`, and says in a line what came of it.
    func `import`(_ file: JournalFile) async throws -> String {
        try await Failure.telling {
            try await dispatcher.dispatch(ImportJournal(file.journal, named: file.name, content: file.content))
        }
        return Report.line(of: file, outcome: try await ask(GetImport(of: file.name)))
    }
}
