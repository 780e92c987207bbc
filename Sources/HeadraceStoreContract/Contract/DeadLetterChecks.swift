// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let deadLetterChecks: [Check] = [
        Check("a delivery that failed for good becomes a dead letter, and later deliveries continue") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            for text in edgeCaseTexts {
                try await fixture.store.commit(ChangeSet().delivering(3, of: text, to: ["to \(text)"]))
            }

            try await fixture.giveUp(try await fixture.leaseOne(), reason: edgeCaseTexts.joined(), at: 7.5)
            for text in edgeCaseTexts {
                try await fixture.giveUp(try await fixture.leaseOne("to \(text)"), reason: text)
            }

            try requireEqual(try await fixture.leaseOne(at: 8).numbers, ["2"], "the next delivery")
            let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: .max)
            try requireEqual(letters.map(\.content.number), ["1"] + edgeCaseTexts.map { _ in "3" }, "the dead letters")
            try requireEqual(
                letters.map(\.subscription), ["a"] + edgeCaseTexts.map { "to \($0)" }, "their subscriptions")
            try requireEqual(letters.map(\.reason), [edgeCaseTexts.joined()] + edgeCaseTexts, "their reasons")
            try requireEqual(letters[0].attempts, 1, "the attempts at the first")
            try requireEqual(letters[0].date, DeliveryFixture.date(7.5), "the date of the first")
        },
        Check("pages of dead letters are complete, for all subscriptions and for one") { fixture in
            let fixture = try await fixture.openDeliveries()
            for number in 0..<UInt8(9) {
                let subscription = number % 3 == 0 ? "b" : "a"
                try await fixture.store.commit(ChangeSet().delivering(number, to: [subscription]))
                try await fixture.giveUp(try await fixture.leaseOne(subscription))
            }
            for (subscription, expected) in [(nil, (0..<9).map { "\($0)" }), ("b", ["0", "3", "6"]), ("c", [])] {
                for size in [1, 2, 9, 10] {
                    var read: [DeadLetter] = []
                    while true {
                        let page = try await fixture.store.deadLetters(
                            after: read.last?.id ?? 0,
                            of: subscription,
                            limit: size
                        )
                        if page.isEmpty { break }
                        try require(
                            page.count <= size, "a page has at most \(size) dead letters", "it has \(page.count)")
                        read += page
                        try require(read.count <= 9, "pages do not repeat", "they do")
                    }
                    try requireEqual(
                        read.map(\.content.number), expected, "the list of dead letters of \(subscription ?? "all")")
                }
            }
            let first = try await fixture.store.deadLetters(after: 0, of: nil, limit: 1)[0]
            try requireEqual(try await fixture.store.deadLetter(first.id)?.content.number, "0", "the first")
            try require(try await fixture.store.deadLetter(.max) == nil, "no dead letter has another ID")
            try requireEqual(
                try await fixture.store.deadLetters(after: 0, of: nil, limit: -1).count, 0, "a limit of -1")
        },
        Check("a replayed dead letter is delivered once, from the first attempt") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            try await fixture.giveUp(try await fixture.leaseOne())
            let id = try await fixture.store.deadLetters(after: 0, of: nil, limit: 1)[0].id

            try requireEqual(
                try await fixture.store.replayDeadLetters([id, id, 99]), 1, "the number of replayed dead letters")

            let lanes = try await fixture.lease(at: 1)
            try requireEqual(Set(lanes.numbers), [["1"], ["2"]], "the set of due deliveries")
            try requireEqual(lanes.flatMap { $0.map(\.attempt) }, [1, 1], "the attempts")
            try requireEqual(lanes.flatMap { $0.map(\.isReplay) }, [false, false], "whether they are replays")
            try requireEqual(
                try await fixture.store.deadLetters(after: 0, of: nil, limit: 9).count, 0,
                "the number of remaining dead letters")
        },
        Check("discarding a dead letter removes no other dead letter") { fixture in
            let fixture = try await fixture.openDeliveries()
            for number in 1...UInt8(2) {
                try await fixture.store.commit(ChangeSet().delivering(number))
                try await fixture.giveUp(try await fixture.leaseOne())
            }
            let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)

            try requireEqual(
                try await fixture.store.discardDeadLetters([letters[0].id, 99]), 1,
                "the number of discarded dead letters")

            let left = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
            try requireEqual(left.map(\.content.number), ["2"], "the list of remaining dead letters")
            try requireEqual(
                try await fixture.store.replayDeadLetters([letters[0].id]), 0, "the number of replayed dead letters")
        },
        Check("statistics count pending deliveries and dead letters") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(
                ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y", to: ["a", "b"]))
            try await fixture.store.commit(ChangeSet().scheduling("later", at: 50))
            let lanes = try await fixture.lease("a")
            try await fixture.settle(lanes[0], acknowledged: 1)
            try await fixture.giveUp(lanes[1])

            let statistics = try await fixture.store.deliveryStatistics()

            let recorded = NewEvent.numbered(0).recordedAt
            try requireEqual(
                statistics.subscriptions,
                [
                    .init(name: "a", pendingCount: 1, oldestPending: recorded, deadLetterCount: 1),
                    .init(name: "b", pendingCount: 1, oldestPending: recorded, deadLetterCount: 0),
                    .init(
                        name: ScheduledMessage.subscription,
                        pendingCount: 1,
                        oldestPending: nil,
                        deadLetterCount: 0
                    ),
                ],
                "the subscriptions"
            )
            try requireEqual(statistics.lastPosition, 3, "the last position")
        },
    ]
}
