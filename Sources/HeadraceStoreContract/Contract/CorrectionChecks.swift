// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let correctionChecks: [Check] = [
        Check("a corrected dead letter is delivered once, and only that delivery has the corrected content") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x", to: ["a", "b"]))
            let original = try await fixture.store.events(after: 0, limit: 9)
            try await fixture.giveUp(try await fixture.leaseOne())
            let id = try await fixture.firstLetter.id
            let before = fixture.store.deliverySignal.position

            try require(try await fixture.correct(id, to: corrected), "the dead letter exists")

            try require(fixture.store.deliverySignal.position > before, "a correction signals relays")
            try requireEqual(try await fixture.deadLetters().count, 0, "the number of dead letters")
            try requireEqual(
                Set(try await fixture.pending(at: 0).map { "\($0.subscription) \($0.content.text)" }),
                ["a 1 \(corrected)", #"a 2 {"number":2}"#, #"b 1 {"number":1}"#, #"b 2 {"number":2}"#],
                "the pending deliveries")
            let lanes = try await fixture.lease(at: 1).sorted { $0[0].position < $1[0].position }
            try requireEqual(lanes.map(\.count), [1, 1], "the deliveries of each lane")
            try requireEqual(
                lanes[0].map(\.content), [.event(original[0]).corrected(to: Data(corrected.utf8))],
                "the corrected delivery")
            try requireEqual(lanes[0].map(\.attempt), [1], "its attempt")
            try requireEqual(lanes[1].map(\.content), [.event(original[1])], "the next delivery of the stream")
            try requireEqual(
                try await fixture.leaseOne("b", at: 1).map(\.content), original.map { .event($0) },
                "the deliveries of another subscription")
            try requireEqual(try await fixture.store.events(after: 0, limit: 9), original, "the log")
            try await fixture.settle(lanes[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(1)))
            try requireEqual(
                try await fixture.store.replay("a", eventsNamed: ["numbered"], after: 0), 1, "the replayed events")
            let replayed = try await fixture.lease(at: 1).flatMap { $0 }.first { $0.isReplay }
            try requireEqual(replayed?.content, .event(original[0]), "the content of a later replay")
        },
        Check("a corrected delivery keeps its content until it is handled, corrected again, or discarded") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            try await fixture.giveUp(try await fixture.leaseOne())
            try requireEqual(try await fixture.firstLetter.isCorrected, false, "whether it is corrected at first")
            try await fixture.correct(try await fixture.firstLetter.id, to: corrected)

            let end = Settlement.End.retry(at: DeliveryFixture.date(1), now: DeliveryFixture.date(0))
            try await fixture.settle(try await fixture.leaseOne(), attempts: 1, end: end)
            let second = try await fixture.leaseOne(at: 1)
            try requireEqual(second.map(\.content.text), ["1 \(corrected)"], "the content of the second attempt")
            try await fixture.giveUp(second, at: 1)
            var letter = try await fixture.firstLetter
            try requireEqual(letter.content.text, "1 \(corrected)", "the content of a dead letter after a failure")
            try require(letter.isCorrected, "the dead letter says that it is corrected")

            _ = try await fixture.store.replayDeadLetters([letter.id])
            let ids = try await fixture.pending(at: 2).map(\.id)
            _ = try await fixture.store.cancelDeliveries(ids, reason: "no", now: DeliveryFixture.date(2))
            letter = try await fixture.firstLetter
            try requireEqual(letter.content.text, "1 \(corrected)", "the content of a dead letter after a cancellation")

            try await fixture.correct(letter.id, to: "[]")
            let last = try await fixture.leaseOne(at: 2)
            try requireEqual(last.map(\.content.text), ["1 []"], "the content after a second correction")
            try await fixture.settle(last, acknowledged: 1, end: .finished(now: DeliveryFixture.date(2)))
            try requireEqual(try await fixture.pending(at: 3).count, 0, "the number of pending deliveries")
        },
        Check("a corrected scheduled message keeps its ID and can be cancelled") { fixture in
            let fixture = try await fixture.openDeliveries()
            let ids = [UUID(), UUID()]
            for (name, id) in zip(["one", "two"], ids) {
                try await fixture.store.commit(ChangeSet().scheduling(name, id: id, at: 0))
                try await fixture.giveUp(try await fixture.leaseOne(ScheduledMessage.subscription))
            }
            for letter in try await fixture.deadLetters() { try await fixture.correct(letter.id, to: corrected) }

            try await fixture.store.commit(ChangeSet().cancelling(ids[0]))

            let left = try await fixture.leaseOne(ScheduledMessage.subscription, at: 1)
            try requireEqual(left.map(\.content.text), ["two \(corrected)"], "the due messages")
            try requireEqual(left.map(\.content.message?.id), [ids[1]], "their IDs")
        },
        Check("of many callers that correct, replay, or discard a dead letter at once, exactly one succeeds") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            for number in 1...UInt8(20) {
                try await fixture.store.commit(ChangeSet().delivering(number))
                try await fixture.giveUp(try await fixture.leaseOne())
                let id = try await fixture.firstLetter.id

                let successes = try await withThrowingTaskGroup(of: Int.self) { group in
                    for caller in 0..<6 {
                        group.addTask {
                            switch caller % 3 {
                            case 0: try await fixture.correct(id, to: "\(caller)") ? 1 : 0
                            case 1: try await fixture.store.replayDeadLetters([id])
                            default: try await fixture.store.discardDeadLetters([id])
                            }
                        }
                    }
                    return try await group.reduce(0, +)
                }

                try requireEqual(successes, 1, "the number of successes")
                try require(try await !fixture.correct(id, to: corrected), "it no longer exists")
                let lanes = try await fixture.lease()
                try require(lanes.count <= 1, "it is delivered at most once", "\(lanes.numbers)")
                for lane in lanes {
                    try await fixture.settle(lane, acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
                }
            }
        },
    ]

    static let storedCorrection = Check("a correction survives that the store is closed") { fixture in
        let id: Int64
        do {
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            try await fixture.giveUp(try await fixture.leaseOne())
            id = try await fixture.firstLetter.id
            try await fixture.correct(id, to: corrected)
        }

        let fixture = try await fixture.openDeliveries()
        let lane = try await fixture.leaseOne()
        try requireEqual(lane.map(\.content.text), ["1 \(corrected)"], "the due deliveries")
        try require(try await !fixture.correct(id, to: "[]"), "the dead letter is gone")
    }

    /// The corrected content, with characters of one to four bytes.
    private static let corrected = #"{"number": 7, "text": "é€𝄞 \u0000"}"#
}

extension DeliveryFixture {
    /// Corrects a dead letter, and returns whether it still existed.
    @discardableResult
    fileprivate nonisolated(nonsending) func correct(_ id: Int64, to json: String) async throws -> Bool {
        try await store.replayDeadLetter(id, correctedTo: Data(json.utf8))
    }

    fileprivate nonisolated(nonsending) func deadLetters() async throws -> [DeadLetter] {
        try await store.deadLetters(after: 0, of: nil, limit: 9)
    }

    /// The oldest dead letter.
    fileprivate var firstLetter: DeadLetter {
        get async throws {
            guard let first = try await deadLetters().first else {
                throw ContractViolation(
                    expectation: "there is a dead letter", observation: "there is none", fileID: #fileID, line: #line)
            }
            return first
        }
    }
}
