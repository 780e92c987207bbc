// SPDX-License-Identifier: Apache-2.0

import HeadraceRelay
import HeadraceStorage
import MetricsTestKit
import Testing

@Suite struct CommitMetricsTests {
    private let factory = TestMetrics()

    @Test(arguments: [nil, "books"]) func aTransactionUpdatesEachMetric(store: String?) throws {
        let labels = store.map { [("store", $0)] } ?? []
        let metrics = CommitMetrics(store: store, factory: factory)

        for failedCount in [0, 2] {
            metrics.committed(
                CommitBatchStatistics(
                    storedCount: 3,
                    failedCount: failedCount,
                    waitingCount: 7,
                    wait: .milliseconds(2),
                    duration: .milliseconds(5)
                )
            )
        }

        let outcomes = try ["stored", "failed"].map { outcome in
            try factory.expectCounter("headrace.store.commits", labels + [("outcome", outcome)]).totalValue
        }
        #expect(outcomes == [6, 2])
        #expect(try factory.expectRecorder("headrace.store.batch.size", labels).values == [3, 5])
        #expect(try factory.expectRecorder("headrace.store.queue", labels).lastValue == 7)
        #expect(try factory.expectTimer("headrace.store.wait", labels).values == [2_000_000, 2_000_000])
        #expect(try factory.expectTimer("headrace.store.transaction", labels).values == [5_000_000, 5_000_000])
    }
}
