// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting

extension StoreContract {
    static let randomDeliveryChecks: [Check] = (1...6).map { seed in
        Check("random commits, leases and settlements have the same result as in memory, seed \(seed)") { fixture in
            let actual = try await fixture.openDeliveries()
            let expected = DeliveryFixture(store: try InMemoryStore(entities: [ContractEntity.self]))
            var walk = DeliveryWalk(actual: actual, expected: expected, seed: UInt64(seed))
            for step in 0..<300 { try await walk.step("step \(step) of seed \(seed)") }
        }
    }
}

/// The same random steps on two stores, with the same expected results.
private struct DeliveryWalk {
    let actual: DeliveryFixture
    let expected: DeliveryFixture
    private var generator: SeededGenerator
    private var now = 0.0

    /// Leases of both stores that were granted at the same time.
    ///
    /// Old leases stay, so that they are refused.
    private var leases: [(actual: [Delivery], expected: [Delivery])] = []

    init(actual: DeliveryFixture, expected: DeliveryFixture, seed: UInt64) {
        self.actual = actual
        self.expected = expected
        generator = SeededGenerator(seed: seed)
    }

    nonisolated(nonsending) mutating func step(_ subject: String) async throws {
        now += Double.random(in: 0..<2, using: &generator).rounded()
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...2: try await commit()
        case 3...5: try await lease(subject)
        case 6...7: try await settle(subject)
        case 8: try await handleDeadLetters(subject)
        case 9: try await pauseOrResume(subject)
        case 10: try await retryOrCancel(subject)
        default: try await replayOrPrune(subject)
        }
    }

    private nonisolated(nonsending) mutating func commit() async throws {
        var changes = ChangeSet()
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let stream = ["x", "y", "z", nil].randomElement(using: &generator) ?? nil
            let subscriptions = ["a", "b"].filter { _ in Bool.random(using: &generator) }
            changes = changes.delivering(UInt8.random(in: 0...255, using: &generator), of: stream, to: subscriptions)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            changes = changes.scheduling("s\(now)", at: now + Double(Int.random(in: 0..<9, using: &generator)))
        }
        try await actual.store.commit(changes)
        try await expected.store.commit(changes)
    }

    private nonisolated(nonsending) mutating func lease(_ subject: String) async throws {
        let request = LeaseRequest(
            subscriptions: ["a", "b", ScheduledMessage.subscription].shuffled(using: &generator),
            laneLimit: Int.random(in: 1...5, using: &generator),
            batchLimit: Int.random(in: 1...4, using: &generator),
            now: DeliveryFixture.date(now),
            duration: .seconds(Int.random(in: 1...6, using: &generator))
        )
        let one = try await actual.store.lease(request)
        let other = try await expected.store.lease(request)
        try requireEqual(one.lanes.map(Self.seen), other.lanes.map(Self.seen), "the list of leases of \(subject)")
        try requireEqual(one.nextDue, other.nextDue, "the next due date in \(subject)")
        try requireEqual(one.paused, other.paused, "the paused subscriptions in \(subject)")
        leases += zip(one.lanes, other.lanes).map { ($0, $1) }
    }

    private nonisolated(nonsending) mutating func settle(_ subject: String) async throws {
        guard let index = leases.indices.randomElement(using: &generator) else { return }
        let lane = leases[index]
        let count = Int.random(in: 0...lane.actual.count, using: &generator)
        let date = DeliveryFixture.date(now)
        let ends: [Settlement.End?] = [
            nil, .finished(now: date), .retry(at: DeliveryFixture.date(now + 3)), .released(now: date),
        ]
        let end = ends.randomElement(using: &generator) ?? nil
        let attempts = [nil, 0, 1, 2].randomElement(using: &generator) ?? nil
        var one = lane.actual.settlement(acknowledged: count, attempts: attempts, end: end)
        var other = lane.expected.settlement(acknowledged: count, attempts: attempts, end: end)
        (one.reason, other.reason) = ("at \(now)", "at \(now)")
        if count < lane.actual.count, Bool.random(using: &generator) {
            one.failures = [lane.actual[count].failure("broken", at: date)]
            other.failures = [lane.expected[count].failure("broken", at: date)]
        }
        if Bool.random(using: &generator) {
            let refused = try await (actual.store.settle([one]), expected.store.settle([other]))
            try requireEqual(refused.0.count, refused.1.count, "the number of refused settlements of \(subject)")
        } else {
            let changes = (ChangeSet().settling(one), ChangeSet().settling(other))
            let codes = await (Self.code(of: changes.0, on: actual.store), Self.code(of: changes.1, on: expected.store))
            try requireEqual(codes.0, codes.1, "the outcome of the commit of \(subject)")
        }
    }

    private nonisolated(nonsending) mutating func handleDeadLetters(_ subject: String) async throws {
        let letters = try await actual.store.deadLetters(after: 0, of: nil, limit: 50)
        let others = try await expected.store.deadLetters(after: 0, of: nil, limit: 50)
        try requireEqual(letters.map(Self.seen), others.map(Self.seen), "the dead letters in \(subject)")
        try requireEqual(
            try await actual.store.deliveryStatistics(),
            try await expected.store.deliveryStatistics(),
            "the statistics in \(subject)"
        )
        let state = PendingDelivery.State.allCases.randomElement(using: &generator)
        for state in [nil, state] {
            let pending = try await (actual.pending(state, at: now), expected.pending(state, at: now))
            try requireEqual(pending.0.map(\.seen), pending.1.map(\.seen), "the pending deliveries in \(subject)")
            try requireEqual(pending.0.map(\.isReplay), pending.1.map(\.isReplay), "the pending replays in \(subject)")
            try requireEqual(
                pending.0.map(\.content.text), pending.1.map(\.content.text), "the pending contents in \(subject)")
        }
        guard let index = letters.indices.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            _ = try await actual.store.replayDeadLetters([letters[index].id])
            _ = try await expected.store.replayDeadLetters([others[index].id])
        case 1:
            let json = Data(#"{"corrected":\#(UInt8.random(in: .min ... .max, using: &generator))}"#.utf8)
            _ = try await actual.store.replayDeadLetter(letters[index].id, correctedTo: json)
            _ = try await expected.store.replayDeadLetter(others[index].id, correctedTo: json)
        default:
            _ = try await actual.store.discardDeadLetters([letters[index].id])
            _ = try await expected.store.discardDeadLetters([others[index].id])
        }
    }

    private nonisolated(nonsending) mutating func retryOrCancel(_ subject: String) async throws {
        let (ones, others) = try await (actual.pending(at: now), expected.pending(at: now))
        guard let index = ones.indices.randomElement(using: &generator) else { return }
        let (one, other) = ([ones[index].id], [others[index].id])
        let date = DeliveryFixture.date(now)
        let counts =
            Bool.random(using: &generator)
            ? try await (actual.store.retryDeliveries(one, now: date), expected.store.retryDeliveries(other, now: date))
            : try await (
                actual.store.cancelDeliveries(one, reason: "no", now: date),
                expected.store.cancelDeliveries(other, reason: "no", now: date)
            )
        try requireEqual(counts.0, counts.1, "the number of deliveries that \(subject) changes")
    }

    private nonisolated(nonsending) mutating func pauseOrResume(_ subject: String) async throws {
        let name = ["a", "b", ScheduledMessage.subscription].randomElement(using: &generator) ?? "a"
        let date = DeliveryFixture.date(now)
        // Pauses are shorter than the time between them, so that most steps lease.
        let pauses = Int.random(in: 0..<3, using: &generator) == 0
        let exists =
            pauses
            ? try await (actual.store.pause(name, at: date), expected.store.pause(name, at: date))
            : try await (actual.store.resume(name), expected.store.resume(name))
        try requireEqual(exists.0, exists.1, "whether the subscription exists in \(subject)")
    }

    private nonisolated(nonsending) mutating func replayOrPrune(_ subject: String) async throws {
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let position = Int64.random(in: 0..<200, using: &generator)
            let counts = try await (
                actual.store.replay("a", eventsNamed: ["numbered"], after: position),
                expected.store.replay("a", eventsNamed: ["numbered"], after: position)
            )
            try requireEqual(counts.0, counts.1, "the number of events that \(subject) replays")
        } else {
            let request = PruneRequest(eventsBefore: .distantFuture, limit: Int.random(in: 0..<9, using: &generator))
            let counts = try await (actual.store.prune(request), expected.store.prune(request))
            try requireEqual(counts.0, counts.1, "the number of events that \(subject) prunes")
            let last = try await (actual.store.prunedPosition(), expected.store.prunedPosition())
            try requireEqual(last.0, last.1, "the position of the last pruned event in \(subject)")
        }
    }

    private static func seen(_ lane: [Delivery]) -> [String] {
        lane.map {
            "\($0.subscription) \($0.content.text) \($0.position) \($0.attempt) \($0.mayHaveRun) \($0.isReplay)"
        }
    }

    private static func seen(_ letter: DeadLetter) -> String {
        "\(letter.subscription) \(letter.content.text) \(letter.attempts) \(letter.isCorrected)"
    }

    private static nonisolated(nonsending) func code(
        of changes: ChangeSet,
        on store: any DeliveryStore
    ) async -> StoreError.Code? {
        do {
            try await store.commit(changes)
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }
}
