//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import LedgerJournal

/// One import of a journal into a database that there was not, as the ledger does it.
enum Import {
    /// Imports the journal in the file `source` into the file `database`.
    ///
    /// - Returns: What each phase has taken, and what was committed.
    static func run(_ source: URL, into database: URL) async throws -> (Laps, ChangeSet) {
        let store = try SQLiteStore(path: database.path(percentEncoded: false), entities: LedgerComposition.entities)
        let laps = Laps()
        let timedStore = TimedStore(store, laps: laps)
        let dispatcher = try dispatcher(on: timedStore, laps: laps)

        laps.begin(.reading)
        let bytes = [UInt8](try Data(contentsOf: source))
        let journal = try JournalParser().parse(bytes, file: source.lastPathComponent)
        laps.begin(.fingerprints)
        let content = Fingerprint(bytes: bytes)
        try await dispatcher.dispatch(ImportJournal(journal, named: source.lastPathComponent, content: content))
        laps.begin(.reading)

        try store.close()
        return (laps, timedStore.changes)
    }

    private static func dispatcher(on store: TimedStore, laps: Laps) throws -> any CommandQueryDispatcher {
        var configuration = LedgerComposition.Configuration()
        configuration.progress = TimedProgress(laps: laps)
        let books = try LedgerComposition.makeContainer(on: store, configuration: configuration)
        // The same books once more, whose delegator is wrapped in one with a clock.
        let timed = books.overriding { builder in
            builder.singleton((any DomainEventDelegator).self) { TimedDelegator(of: books, laps: laps) }
        }
        return timed.resolve()
    }
}

/// Tells when the first transaction is posted, by which all fingerprints were made and looked up.
private struct TimedProgress: ImportProgress {
    let laps: Laps

    func advance(of journal: String, done: Int, total: Int) {
        if done == 0 { laps.begin(.posting) }
    }
}
