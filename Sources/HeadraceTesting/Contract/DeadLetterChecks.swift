//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain

extension StoreContract {
    static let deadLetterChecks: [Check] = [
        Check("what was given up is a dead letter, and what follows it goes on") { bench in
            let bench = try await bench.openDeliveries()
            try await bench.store.commit(ChangeSet().delivering(1, 2))
            for text in oddTexts {
                try await bench.store.commit(ChangeSet().delivering(3, of: text, to: ["to \(text)"]))
            }

            try await bench.giveUp(try await bench.leaseOne(), reason: oddTexts.joined(), at: 7.5)
            for text in oddTexts { try await bench.giveUp(try await bench.leaseOne("to \(text)"), reason: text) }

            try requireEqual(try await bench.leaseOne(at: 8).numbers, ["2"], "what follows")
            let letters = try await bench.store.deadLetters(after: 0, of: nil, limit: .max)
            try requireEqual(letters.map(\.content.number), ["1"] + oddTexts.map { _ in "3" }, "the dead letters")
            try requireEqual(letters.map(\.subscription), ["a"] + oddTexts.map { "to \($0)" }, "their subscriptions")
            try requireEqual(letters.map(\.reason), [oddTexts.joined()] + oddTexts, "their reasons")
            try requireEqual(letters[0].attempts, 1, "the attempts at the first")
            try requireEqual(letters[0].date, DeliveryBench.date(7.5), "the date of the first")
        },
        Check("pages of dead letters join, of all or of one subscription") { bench in
            let bench = try await bench.openDeliveries()
            for number in 0..<UInt8(9) {
                let subscription = number % 3 == 0 ? "b" : "a"
                try await bench.store.commit(ChangeSet().delivering(number, to: [subscription]))
                try await bench.giveUp(try await bench.leaseOne(subscription))
            }
            for (subscription, expected) in [(nil, (0..<9).map { "\($0)" }), ("b", ["0", "3", "6"]), ("c", [])] {
                for size in [1, 2, 9, 10] {
                    var read: [DeadLetter] = []
                    while true {
                        let page = try await bench.store.deadLetters(
                            after: read.last?.id ?? 0,
                            of: subscription,
                            limit: size
                        )
                        if page.isEmpty { break }
                        try require(page.count <= size, "a page has \(size) at the most", "it has \(page.count)")
                        read += page
                        try require(read.count <= 9, "pages do not repeat", "they do")
                    }
                    try requireEqual(read.map(\.content.number), expected, "those of \(subscription ?? "all")")
                }
            }
            let first = try await bench.store.deadLetters(after: 0, of: nil, limit: 1)[0]
            try requireEqual(try await bench.store.deadLetter(first.id)?.content.number, "0", "the first")
            try require(try await bench.store.deadLetter(.max) == nil, "there is none with another identifier")
            try requireEqual(try await bench.store.deadLetters(after: 0, of: nil, limit: -1).count, 0, "a limit of -1")
        },
        Check("a dead letter that is replayed is delivered from the first attempt on, once") { bench in
            let bench = try await bench.openDeliveries()
            try await bench.store.commit(ChangeSet().delivering(1, 2))
            try await bench.giveUp(try await bench.leaseOne())
            let id = try await bench.store.deadLetters(after: 0, of: nil, limit: 1)[0].id

            try requireEqual(try await bench.store.replayDeadLetters([id, id, 99]), 1, "how many are replayed")

            let lanes = try await bench.lease(at: 1)
            try requireEqual(Set(lanes.numbers), [["1"], ["2"]], "what is due")
            try requireEqual(lanes.flatMap { $0.map(\.attempt) }, [1, 1], "the attempts")
            try requireEqual(lanes.flatMap { $0.map(\.isReplay) }, [false, false], "whether they are replays")
            try requireEqual(try await bench.store.deadLetters(after: 0, of: nil, limit: 9).count, 0, "what is left")
        },
        Check("a dead letter that is discarded is gone, and the others are not") { bench in
            let bench = try await bench.openDeliveries()
            for number in 1...UInt8(2) {
                try await bench.store.commit(ChangeSet().delivering(number))
                try await bench.giveUp(try await bench.leaseOne())
            }
            let letters = try await bench.store.deadLetters(after: 0, of: nil, limit: 9)

            try requireEqual(try await bench.store.discardDeadLetters([letters[0].id, 99]), 1, "how many go")

            let left = try await bench.store.deadLetters(after: 0, of: nil, limit: 9)
            try requireEqual(left.map(\.content.number), ["2"], "what is left")
            try requireEqual(try await bench.store.replayDeadLetters([letters[0].id]), 0, "how many can be replayed")
        },
        Check("statistics count what is pending and what was given up") { bench in
            let bench = try await bench.openDeliveries()
            try await bench.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y", to: ["a", "b"]))
            try await bench.store.commit(ChangeSet().scheduling("later", at: 50))
            let lanes = try await bench.lease("a")
            try await bench.settle(lanes[0], acknowledged: 1)
            try await bench.giveUp(lanes[1])

            let statistics = try await bench.store.deliveryStatistics()

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
