// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceDomain
import HeadraceStorage
import Testing

@testable import HeadraceSimulation

/// The mistakes of a store that no decorator can make: the books of the watch receive them directly.
@Suite struct PromiseWatchTests {
    private let account = EntityReference(kind: "account", key: "a")

    @Test func aSettlementUnderAnEarlierLeaseIsAViolation() {
        var deliveries = WatchedDeliveries()
        #expect(deliveries.lease([delivery(1, token: 1)], by: "first") == nil)
        #expect(deliveries.handle(delivery(1, token: 1), by: "first") == nil)
        #expect(deliveries.lease([delivery(1, token: 2)], by: "second") == nil)

        let violation = settle(&deliveries, [1], token: 1, by: "first")

        #expect(
            violation == """
                'first' has settled 'mail' of account 'a' under a lease with the token 1, but 'second' has a lease with the token \
                2 since.
                """)
    }

    @Test func aSettlementAfterTheEndOfTheLeaseIsAViolation() {
        var deliveries = WatchedDeliveries()
        _ = deliveries.lease([delivery(1, token: 1)], by: "first")
        _ = deliveries.handle(delivery(1, token: 1), by: "first")
        #expect(settle(&deliveries, [1], token: 1, by: "first") == nil)
        #expect(settle(&deliveries, [1], token: 1, by: "first")?.contains("a lease that has ended") == true)
    }

    @Test func aTokenThatIsGivenTwiceIsAViolationUnlessACrashHasLostTheFirst() throws {
        var deliveries = WatchedDeliveries()
        _ = deliveries.lease([delivery(1, token: 2)], by: "first")
        #expect(deliveries.lease([delivery(1, token: 2)], by: "second")?.contains("with the token 2") == true)

        let contents = try InMemoryStore(entities: []).contents
        _ = deliveries.compare(with: contents, afterCrash: true)
        #expect(deliveries.lease([delivery(1, token: 1)], by: "second") == nil)
    }

    @Test func onlyEventsThatWereNotAcknowledgedMayBeLostAndOnlyByACrash() async throws {
        let store = try InMemoryStore(entities: [])
        var log = WatchedLog()
        var earlier: [InMemoryStore.Contents] = []
        for number in 1...3 {
            earlier.append(store.contents)
            let event = event(number)
            try await store.commit(ChangeSet(events: [event]))
            #expect(log.note([event], by: "server", in: store.contents).violation == nil)
            if number == 2 { #expect(log.acknowledge([event], to: "server") == nil) }
        }
        var other = log
        #expect(other.compare(with: earlier[2], afterCrash: false)?.contains("at position 3 is lost") == true)
        other = log
        #expect(other.compare(with: earlier[2], afterCrash: true) == nil)
        #expect(
            log.compare(with: earlier[1], afterCrash: true)
                == "The event 'transferred' of 'server' at position 2, which was acknowledged, is lost.")
    }

    @Test func aCommitThatIsNotInTheLogIsAViolation() throws {
        var log = WatchedLog()
        let contents = try InMemoryStore(entities: []).contents
        #expect(log.note([event(1)], by: "server", in: contents).violation?.contains("aren't the last events") == true)
        #expect(log.acknowledge([event(1)], to: "server")?.contains("isn't in the log") == true)
    }

    @Test func aKeyMayBeUsedAgainAfterItsRecordWasPruned() {
        var keys = WatchedKeys()
        let date = Date(timeIntervalSince1970: 1_000)
        let record = IdempotencyRecord(key: "k", command: Data(), outcome: Data(), date: date)
        #expect(keys.note([record], by: "first") == nil)
        #expect(keys.note([record], by: "second")?.contains("'first' has committed it, and then 'second'") == true)
        keys.notePruning(before: date.addingTimeInterval(1))
        #expect(keys.note([record], by: "third") == nil)
    }

    // MARK: Helpers

    private func event(_ number: Int) -> NewEvent {
        let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
        return NewEvent(
            id: id, name: "transferred", version: 1, stream: account, recordedAt: Date(timeIntervalSince1970: 0),
            json: Data("{}".utf8))
    }

    private func delivery(_ position: Int64, token: Int64) -> Delivery {
        Delivery(
            lease: Lease(lane: 1, token: token), position: position, subscription: "mail", attempt: 1, isReplay: false,
            content: .event(EventRecord(position: position, event: event(Int(position)))))
    }

    private func settle(
        _ deliveries: inout WatchedDeliveries, _ acknowledged: [Int64], token: Int64, by node: String
    ) -> String? {
        let settlement = Settlement(
            lease: Lease(lane: 1, token: token), acknowledged: acknowledged,
            end: .finished(now: Date(timeIntervalSince1970: 0)))
        return deliveries.settle(settlement, by: node, isWatched: true, isInCommit: false)
    }
}
#endif
