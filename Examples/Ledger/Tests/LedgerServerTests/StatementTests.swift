// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import LedgerTestSupport
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct StatementTests {
        @Test(arguments: [UInt64(1), 2, 3])
        func theHistoryIsCorrectForConcurrentPostsInAnyOrder(seed: UInt64) async throws {
            var random = SplitMix64(seed: seed)
            let transfers = (1...120).map { _ in
                (
                    cents: Int.random(in: 1...500, using: &random), source: "a\(Int.random(in: 1...3, using: &random))",
                    target: "b\(Int.random(in: 1...3, using: &random))", day: Int.random(in: 10...19, using: &random)
                )
            }
            let folder = try TestFolder()
            // Time limits that hold even if the machine stops the test for a minute.
            let patient: (inout LedgerServerConfiguration) -> Void = { configuration in
                configuration.limits.requestTimeout = .seconds(600)
                configuration.limits.idleTimeout = .seconds(600)
            }
            try await TestServer.with(in: folder, configure: patient) { server in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            for number in (worker * 15)..<(worker * 15 + 15) {
                                let transfer = transfers[number]
                                var answer: Answer
                                repeat {
                                    answer = try await server.transfer(
                                        "\(transfer.cents)", from: transfer.source, to: transfer.target,
                                        on: "2026-01-\(transfer.day)", key: "transfer \(number)")
                                } while answer.status == 503
                                try #require(answer.status == 201, "\(answer.text)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                await server.deliveries.waits(for: 240, to: "statement")

                for account in ["a1", "a2", "a3", "b1", "b2", "b3"] {
                    var expected: [String] = []
                    var balance = 0
                    for day in 10...19 {
                        let changes = transfers.filter {
                            $0.day == day && ($0.source == account || $0.target == account)
                        }
                        if changes.isEmpty { continue }
                        balance += changes.reduce(0) { $0 + ($1.target == account ? $1.cents : -$1.cents) }
                        expected.append("2026-01-\(day) \(balance)")
                    }
                    let history = try await server.get("/api/history?account=\(account)").json(HistoryResponse.self)
                    let points = history.series.first?.points.map { "\($0.date) \($0.quantity)" } ?? []
                    #expect(points == expected, "seed \(seed), \(account)")
                }
                // The events of an account are delivered one after the other, so there were no conflicts.
                #expect(server.deliveries.failureCount == 0)
            }
        }
    }
}
#endif
