// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import Testing

@Suite struct StoredJournalTests {
    @Test(arguments: [0, 1, 131_072, 131_073, 300_000])
    func theBytesComeBackAndAreDeletedWithAllParts(count: Int) async throws {
        let books = try await TestBooks()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (id, other) = (UUID.version7(), UUID.version7())
        try await StoredJournal.keep(bytes, for: id, in: books.store)
        try await StoredJournal.keep([1], for: other, in: books.store)

        #expect(try await StoredJournal.bytes(of: id, in: books.store) == bytes)
        #expect(try await Set(StoredJournal.all(in: books.store)) == [id, other])

        try await StoredJournal.discard(id, in: books.store)
        try await StoredJournal.discard(id, in: books.store)
        #expect(try await StoredJournal.all(in: books.store) == [other])
        #expect(try await EntityContext(books.store).fetch(JournalPart.self).count == 1)
    }

    @Test func aJournalThatIsNoLongerStoredFailsTheImport() async throws {
        let books = try await TestBooks()

        let failure = await #expect(throws: ImportJob.Failure.self) {
            try await StoredJournal.bytes(of: UUID(), in: books.store)
        }
        #expect(failure?.code == "journalMissing")
    }
}
