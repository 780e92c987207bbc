// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
import HeadracePostgres
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@Suite(.needsServer, .timeLimit(.minutes(2))) struct CommitObserverTests {
    private final class RecordedBatches: CommitObserver {
        private let state = Mutex<[CommitBatchStatistics]>([])

        var all: [CommitBatchStatistics] { state.withLock { $0 } }

        func committed(_ batch: CommitBatchStatistics) { state.withLock { $0.append(batch) } }
    }

    @Test func theTransactionsContainEachCommitOnce() async throws {
        let batches = RecordedBatches()
        try await withSchema { schema in
            var configuration = schema.configuration
            configuration.commitObserver = batches
            let store = try await PostgresStore(url: schema.url, entities: [], configuration: configuration)
            try await withThrowingTaskGroup { group in
                for _ in 1...50 { group.addTask { try await store.commit(ChangeSet(events: [.empty()])) } }
                try await group.waitForAll()
            }
            try store.close()
        }

        #expect(batches.all.reduce(0) { $0 + $1.storedCount } == 50)
        #expect(batches.all.allSatisfy { $0.failedCount == 0 && $0.count > 0 && $0.duration > .zero })
        #expect(batches.all.count < 50)
        #expect(batches.all.last?.waitingCount == 0)
    }
}

extension NewEvent {
    fileprivate static func empty() -> NewEvent {
        NewEvent(
            id: .version7(), name: "empty", version: 1, stream: nil, recordedAt: .now, json: Data("{}".utf8),
            origin: MessageOrigin())
    }
}
#endif
