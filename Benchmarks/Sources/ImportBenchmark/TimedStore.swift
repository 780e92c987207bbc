// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import Synchronization

/// A store decorator that measures the time and keeps the last committed changes.
final class TimedStore: StoreDecorator {
    let base: any DeliveryStore
    private let laps: Laps
    private let committed = Mutex(ChangeSet())

    init(_ base: any DeliveryStore, laps: Laps) {
        self.base = base
        self.laps = laps
    }

    /// The last committed changes.
    var changes: ChangeSet { committed.withLock { $0 } }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        let interrupted = laps.begin(.lookUps)
        defer { laps.begin(interrupted) }
        return try await base.find(reference)
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        let interrupted = laps.begin(.lookUps)
        defer { laps.begin(interrupted) }
        return try await base.find(all: references)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        let interrupted = laps.begin(.lookUps)
        defer { laps.begin(interrupted) }
        return try await base.fetch(query)
    }

    func commit(_ changes: ChangeSet) async throws {
        committed.withLock { $0 = changes }
        laps.begin(.commit)
        defer { laps.begin(.forgetting) }
        try await base.commit(changes)
    }
}
