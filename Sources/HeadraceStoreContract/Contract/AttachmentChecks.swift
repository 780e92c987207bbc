// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let attachmentChecks: [Check] = [
        Check("a scheduled message is delivered once, unchanged, at its time") { fixture in
            let fixture = try await fixture.openDeliveries()
            let changes = ChangeSet().scheduling("later", at: 50.5).scheduling("soon", at: 10)
            try await fixture.store.commit(changes)

            try requireEqual(
                try await fixture.lease(ScheduledMessage.subscription, at: 9).numbers, [], "the list of due messages")
            let soon = try await fixture.leaseOne(ScheduledMessage.subscription, at: 10)
            try requireEqual(soon.numbers, ["soon"], "the list of due messages at 10")
            try await fixture.settle(soon, acknowledged: 1, end: .finished(now: DeliveryFixture.date(10)))
            let later = try await fixture.leaseOne(ScheduledMessage.subscription, at: 50.5)

            try requireEqual(
                later.map(\.content), [.scheduled(changes.scheduled[0])], "the list of due messages at 50.5")
            try require(later[0].position < 0, "its position is less than 0", "it is \(later[0].position)")
        },
        Check("a cancelled message is not delivered, and a handler that is running for it cannot settle") { fixture in
            let fixture = try await fixture.openDeliveries()
            let ids = (0..<3).map { _ in UUID() }
            for (number, id) in ids.enumerated() {
                try await fixture.store.commit(ChangeSet().scheduling("\(number)", id: id, at: Double(number)))
            }
            let handled = try await fixture.leaseOne(ScheduledMessage.subscription, at: 0)
            try await fixture.store.commit(ChangeSet().cancelling(ids[0]).cancelling(ids[1]).cancelling(UUID()))

            try await fixture.store.refuse(
                try ChangeSet().inserting(Draft(key: "x")).settling(handled.settlement(acknowledged: 1)),
                with: .leaseLost,
                "the commit of a cancelled command"
            )
            let lanes = try await fixture.lease(ScheduledMessage.subscription, at: 100)
            try requireEqual(lanes.numbers, [["2"]], "the list of due messages")
        },
        Check("a scheduled message can be dead-lettered, replayed, and discarded") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().scheduling("later", at: 0))
            for _ in 0..<2 {
                try await fixture.giveUp(try await fixture.leaseOne(ScheduledMessage.subscription))
                let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
                try requireEqual(letters.map(\.content.number), ["later"], "the dead letters")
                try requireEqual(
                    try await fixture.store.replayDeadLetters([letters[0].id]), 1, "the number of replayed messages")
            }
            try await fixture.giveUp(try await fixture.leaseOne(ScheduledMessage.subscription))
            let letter = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)[0]
            try requireEqual(
                try await fixture.store.discardDeadLetters([letter.id]), 1, "the number of discarded messages")
            try requireEqual(
                try await fixture.lease(ScheduledMessage.subscription, at: 9).numbers, [], "the list of due messages")
        },
        Check("an idempotency key is stored once, with its change, and a second change is refused completely") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            for (number, key) in edgeCaseTexts.enumerated() {
                let first = ChangeSet().remembering("key \(key)", outcome: #"["\#(number)"]"#)
                try await fixture.store.commit(first)

                try await fixture.store.refuse(
                    try ChangeSet().inserting(Draft(key: "x")).remembering("fresh \(key)").remembering("key \(key)"),
                    with: .keyTaken,
                    "a change under a taken key"
                )
                let stored = try await fixture.store.idempotencyRecord(for: "key \(key)")
                try requireEqual(stored, first.idempotencyRecords[0], "the record of the first change")
                let fresh = try await fixture.store.idempotencyRecord(for: "fresh \(key)")
                try requireEqual(fresh, nil, "the record of the second change")
            }
            let stored = try await fixture.store.fetch(DocumentQuery(kind: ContractEntity.entityName))
            try requireKeys(stored, [], "the store")
            try await fixture.store.refuse(
                ChangeSet().remembering("twice").remembering("twice"),
                with: .keyTaken,
                "a key twice in one change"
            )
        },
        Check("idempotency records are pruned by age, the oldest first") { fixture in
            let fixture = try await fixture.openDeliveries()
            for second in 0..<5 {
                try await fixture.store.commit(ChangeSet().remembering("\(second)", at: Double(second)))
            }

            let request = PruneRequest(idempotencyRecordsBefore: DeliveryFixture.date(3), limit: 2)
            try requireEqual(try await fixture.store.prune(request), 2, "the number of records removed first")
            try requireEqual(try await fixture.store.prune(request), 1, "the number of records removed next")

            for second in 0..<5 {
                let isThere = try await fixture.store.idempotencyRecord(for: "\(second)") != nil
                try requireEqual(isThere, second >= 3, "whether the record of second \(second) exists")
            }
        },
    ]
}
