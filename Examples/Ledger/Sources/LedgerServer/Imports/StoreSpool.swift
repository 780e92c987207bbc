// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication

/// Stores the journals of open imports in the store, so that each server of a database can continue each import.
struct StoreSpool: JournalSpool {
    /// Age from which a journal without an open import is left over, longer than any upload.
    private static let oldest = Duration.seconds(3_600)

    let store: any EntityStore

    func keep(_ bytes: [UInt8], for id: UUID) async throws -> FolderLock? {
        try await StoredJournal.keep(bytes, for: id, in: store)
        return nil
    }

    func bytes(of id: UUID) async throws -> [UInt8] {
        try await StoredJournal.bytes(of: id, in: store)
    }

    func discard(_ id: UUID) async {
        // A server deletes the rest at its next start.
        try? await StoredJournal.discard(id, in: store)
    }

    /// Deletes the journals of imports that aren't open and were uploaded at least an hour ago.
    func discardLeftovers(except open: () async throws -> Set<UUID>) async throws {
        let stored = try await StoredJournal.all(in: store)
        let needed = try await open()
        for id in stored
        where !needed.contains(id) && Date().timeIntervalSince(Self.date(of: id)) > Self.oldest / .seconds(1) {
            await discard(id)
        }
    }

    /// The time of the creation of a UUID of version 7, in whose first 48 bits are the milliseconds since 1970.
    ///
    /// <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7>
    private static func date(of id: UUID) -> Date {
        let bytes = id.uuid
        let time = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Date(timeIntervalSince1970: Double(time) / 1_000)
    }
}
#endif
