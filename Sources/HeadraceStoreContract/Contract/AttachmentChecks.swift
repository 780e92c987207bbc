//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

extension StoreContract {
    static let attachmentChecks: [Check] = [
        Check("a scheduled message is delivered at its time, as it was scheduled, and once") { fixture in
            let fixture = try await fixture.openDeliveries()
            let changes = ChangeSet().scheduling("later", at: 50.5).scheduling("soon", at: 10)
            try await fixture.store.commit(changes)

            try requireEqual(try await fixture.lease(ScheduledMessage.subscription, at: 9).numbers, [], "what is due")
            let soon = try await fixture.leaseOne(ScheduledMessage.subscription, at: 10)
            try requireEqual(soon.numbers, ["soon"], "what is due first")
            try await fixture.settle(soon, acknowledged: 1, end: .finished(now: DeliveryFixture.date(10)))
            let later = try await fixture.leaseOne(ScheduledMessage.subscription, at: 50.5)

            try requireEqual(later.map(\.content), [.scheduled(changes.scheduled[0])], "what is due then")
            try require(later[0].position < 0, "its position is less than 0", "it is \(later[0].position)")
        },
        Check("a cancelled message is not delivered, and one that is being handled settles nothing") { fixture in
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
            try requireEqual(lanes.numbers, [["2"]], "what is due")
        },
        Check("a scheduled message can be given up, replayed, and discarded") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().scheduling("later", at: 0))
            for _ in 0..<2 {
                try await fixture.giveUp(try await fixture.leaseOne(ScheduledMessage.subscription))
                let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
                try requireEqual(letters.map(\.content.number), ["later"], "the dead letters")
                try requireEqual(try await fixture.store.replayDeadLetters([letters[0].id]), 1, "how many are replayed")
            }
            try await fixture.giveUp(try await fixture.leaseOne(ScheduledMessage.subscription))
            let letter = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)[0]
            try requireEqual(try await fixture.store.discardDeadLetters([letter.id]), 1, "how many are discarded")
            try requireEqual(try await fixture.lease(ScheduledMessage.subscription, at: 9).numbers, [], "what is due")
        },
        Check("an idempotency key is stored with its change, once, and the second change is refused whole") { fixture in
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
                try requireEqual(stored, first.idempotencyRecords[0], "what is stored of the first")
                let fresh = try await fixture.store.idempotencyRecord(for: "fresh \(key)")
                try requireEqual(fresh, nil, "what is stored of the second")
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
            try requireEqual(try await fixture.store.prune(request), 2, "how many are removed first")
            try requireEqual(try await fixture.store.prune(request), 1, "how many then")

            for second in 0..<5 {
                let isThere = try await fixture.store.idempotencyRecord(for: "\(second)") != nil
                try requireEqual(isThere, second >= 3, "whether the record of second \(second) is there")
            }
        },
    ]
}
