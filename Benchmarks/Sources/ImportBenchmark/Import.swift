// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import LedgerApplication
import LedgerJournal

/// One import of a journal into a new database, as the ledger does it.
enum Import {
    /// Imports the journal in the file `source` into the file `database`.
    ///
    /// - Returns: The time of each phase, and the committed changes.
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
        // The same books again, with a delegator that measures the time.
        let timed = books.overriding { builder in
            builder.singleton((any DomainEventDelegator).self) { TimedDelegator(of: books, laps: laps) }
        }
        return timed.resolve()
    }
}

/// Reports when the first transaction is posted.
///
/// All fingerprints are made and looked up before that.
private struct TimedProgress: ImportProgress {
    let laps: Laps

    func advance(of journal: String, done: Int, total: Int) {
        if done == 0 { laps.begin(.posting) }
    }
}
