// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// The order of the events that transactions stage for one stream.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct StagingOrderTests {
    private enum Step: CaseIterable {
        case raise1, commit1, raise2, commit2
    }

    /// All orders of the steps in which each transaction raises before it commits.
    private static let orders: [[Step]] = {
        func permutations(_ steps: [Step]) -> [[Step]] {
            if steps.isEmpty { return [[]] }
            return steps.flatMap { step in permutations(steps.filter { $0 != step }).map { [step] + $0 } }
        }
        return permutations(Step.allCases).filter { steps in
            func place(_ step: Step) -> Int { steps.firstIndex(of: step) ?? 0 }
            return place(.raise1) < place(.commit1) && place(.raise2) < place(.commit2)
        }
    }()

    /// The order is that of the raises, except that an event follows the events that were moved before its commit.
    ///
    /// `isHandled` is whether a relay handles the moved events at once, or all of them at the end.
    @Test(arguments: orders, [true, false])
    private func transactionsThatInterleaveKeepTheDocumentedOrder(steps: [Step], isHandled: Bool) async throws {
        try await withBench { bench in
            try await bench.schema.session { one in
                try await bench.schema.session { two in
                    // A bit for each step says whether rows are moved after it.
                    for moves in 0..<16 {
                        let stream = "stream \(moves)"
                        var (staged, committed, expected, found) = ([Int](), Set<Int>(), [Int](), [Int]())
                        func move() async throws {
                            expected += staged.filter(committed.contains)
                            staged.removeAll(where: committed.contains)
                            if isHandled {
                                found += try await bench.drain().map(number)
                            } else {
                                try await bench.schema.run("SELECT move_staged(1000, 1000, 1)")
                            }
                        }
                        for (place, step) in steps.enumerated() {
                            switch step {
                            case .raise1, .raise2:
                                let number = step == .raise1 ? 1 : 2
                                let session = step == .raise1 ? one : two
                                _ = try await session.run("BEGIN", isPrepared: false)
                                _ = try await session.run(bench.raise(number, of: stream), isPrepared: false)
                                staged.append(number)
                            case .commit1, .commit2:
                                let session = step == .commit1 ? one : two
                                _ = try await session.run("COMMIT", isPrepared: false)
                                committed.insert(step == .commit1 ? 1 : 2)
                            }
                            if moves & 1 << place != 0 { try await move() }
                        }
                        try await move()
                        found += try await bench.drain().map(number)

                        #expect(found == expected, "\(steps), \(moves)")
                        #expect(found.count == 2)
                    }
                }
            }
        }
    }

    @Test func aRowLockBeforeTheRaiseMakesTheOrderThatOfTheCommits() async throws {
        try await withBench { bench in
            try await bench.schema.run("CREATE TABLE counter AS SELECT 0 AS number")
            let raise = """
                DO $$ DECLARE v_number int; BEGIN
                    UPDATE counter SET number = number + 1 RETURNING number INTO v_number;
                    PERFORM raise(
                        'order-placed', json_build_object('order', 'a', 'number', v_number), 'order', 'a');
                END $$
                """
            try await withRelay(bench.relay()) {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await bench.schema.session { session in
                                for _ in 0..<40 { _ = try await session.run(raise, isPrepared: false) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                await bench.desk.wait(for: 320)
                await bench.entries.wait(for: 320)
            }

            #expect(bench.desk.lines == (1...320).map { "a \($0)" })
            #expect(try await bench.numbers(of: "a") == Array(1...320))
        }
    }

    @Test func eventsOfOneStreamInOneTransactionFollowOneAnotherBehindAHandledOne() async throws {
        try await withBench { bench in
            let request = LeaseRequest(
                subscriptions: [ScheduledMessage.subscription], laneLimit: 9, batchLimit: 2,
                now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10))
            for number in 1...3 { try await bench.schema.run(bench.raise(number, of: "a")) }
            let first = try #require(try await bench.store.lease(request).lanes.first)
            // Moved into the lane while a relay handles it.
            try await bench.schema.run(bench.raise(4, of: "a"), bench.raise(1, of: "b"))
            let other = try #require(try await bench.store.lease(request).lanes.first)

            _ = try await bench.store.settle([
                Settlement(
                    lease: first[0].lease, acknowledged: first.map(\.position), end: .finished(now: request.now))
            ])
            let rest = try #require(try await bench.store.lease(request).lanes.first)

            #expect(try first.map(number) == [1, 2])
            #expect(try other.map(number) == [1])
            #expect(try rest.map(number) == [3, 4])
            #expect((first + other + rest).allSatisfy { !$0.mayHaveRun && $0.attempt == 1 })
            #expect((first + rest).map(\.position) == (first + rest).map(\.position).sorted())
        }
    }

    private func number(_ document: String) throws -> Int {
        try JSONDecoder().decode(OrderPlaced.self, from: Data(document.utf8)).number
    }

    private func number(_ delivery: Delivery) throws -> Int {
        try number(String(decoding: delivery.content.message?.json ?? Data(), as: UTF8.self))
    }
}
#endif
