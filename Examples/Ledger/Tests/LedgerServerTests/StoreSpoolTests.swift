// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication
import Testing

@testable import LedgerServer

@Suite struct StoreSpoolTests {
    /// A UUID of version 7 from the time `age` ago.
    private func id(age: TimeInterval) -> UUID {
        let time = UInt64((Date().timeIntervalSince1970 - age) * 1_000)
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * $0)) }
        return UUID(
            uuid: (bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)
        )
    }

    @Test func onlyOldJournalsWithoutAnOpenImportAreDeleted() async throws {
        let store = try InMemoryStore(entities: LedgerComposition.entities)
        let spool = StoreSpool(store: store)
        let (old, open, new) = (id(age: 4_000), id(age: 5_000), id(age: 3_000))
        for id in [old, open, new] { _ = try await spool.keep([1, 2], for: id) }

        try await spool.discardLeftovers { [open] }

        #expect(try await Set(StoredJournal.all(in: store)) == [open, new])
        #expect(try await spool.bytes(of: open) == [1, 2])
    }
}
#endif
