// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage

/// Long texts that don't compress: an index that compresses its texts accepts a longer text that repeats itself.
extension StoreContract {
    static func longTextChecks(for capabilities: Capabilities) -> [Check] {
        let longest = text(of: capabilities.longestKey ?? 100_000, seed: 1)
        return [
            Check("a long text that doesn't compress is stored as a key, as a value, and in a document") { fixture in
                let store = try await fixture.open()
                let document = text(of: 1_000_000, seed: 2)
                let draft = Draft(
                    key: longest, text: document, rank: .text(longest), labels: [.text(longest)],
                    codes: [.text(longest)])

                try await store.commit(ChangeSet().inserting(draft, Draft(key: "short")))

                let found = try await store.find(draft.reference)
                try require(try found == draft.document(version: 1), "the document is found by its long key")
                for index in ["rank", "label", "code"] {
                    let keys = try await store.fetch(where: index, .oneOf([.text(longest)])).map(\.reference.key)
                    try require(keys == [longest], "the document is found by its long value in '\(index)'")
                }
                try await store.refuse(
                    ChangeSet().inserting(Draft(key: "other", codes: [.text(longest)])),
                    with: .uniqueViolation,
                    "a long unique value that is taken"
                )
            }
        ] + (capabilities.keepsDeliveries ? [deliveryCheck(longest)] : [])
            + (capabilities.longestKey.map { [limitCheck(text(of: $0 + 1, seed: 3), capabilities)] } ?? [])
    }

    private static func deliveryCheck(_ longest: String) -> Check {
        Check("a long text that doesn't compress is stored as a name, a stream, a subscription, and a key") { fixture in
            let fixture = try await fixture.openDeliveries()
            let stream = EntityReference(kind: longest, key: longest)
            let event = NewEvent(
                id: .version7(), name: longest, version: 1, stream: stream, recordedAt: DeliveryFixture.date(0),
                json: Data("{}".utf8))
            var changes = ChangeSet(events: [event]).remembering(longest).scheduling(longest, at: 0)
            changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: longest)]

            try await fixture.store.commit(changes)

            let lane = try await fixture.leaseOne(longest)
            guard case .event(let record) = lane[0].content else {
                return try require(false, "the delivery has the event")
            }
            try require(record.event == event, "the event is delivered as it was recorded")
            try await fixture.giveUp(lane, reason: text(of: 100_000, seed: 4))
            let letters = try await fixture.store.deadLetters(after: 0, of: longest, limit: 9)
            try require(letters.map(\.reason) == [text(of: 100_000, seed: 4)], "the reason is stored")
            let record2 = try await fixture.store.idempotencyRecord(for: longest)
            try require(record2 == changes.idempotencyRecords[0], "the record is found by its long key")
            let due = try await fixture.leaseOne(ScheduledMessage.subscription)
            try require(due.numbers == [longest], "the scheduled message is due")
        }
    }

    private static func limitCheck(_ text: String, _ capabilities: Capabilities) -> Check {
        Check("a text that is longer than the store supports is refused, and nothing is stored") { fixture in
            let store = try await fixture.open()
            var refused = try [
                ChangeSet().inserting(Draft(key: text)),
                ChangeSet().inserting(Draft(key: "a", rank: .text(text))),
                ChangeSet().inserting(Draft(key: "a", codes: [.text(text)])),
            ]
            if capabilities.keepsDeliveries {
                refused.append(try ChangeSet().inserting(Draft(key: "a")).remembering(text))
                refused.append(try ChangeSet().inserting(Draft(key: "a")).delivering(1, of: text))
                refused.append(try ChangeSet().inserting(Draft(key: "a")).delivering(1, to: [text]))
            }

            for (number, changes) in refused.enumerated() {
                try await store.refuse(changes, with: .tooLong, "change \(number) with a text over the limit")
            }
            try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), [], "the store")
            try requireEqual(try await store.events(after: 0, limit: 9), [], "the log")
            try requireEqual(
                try await store.find(Draft(key: text).reference), nil, "the result of a search with a longer key")
            try requireKeys(
                try await store.fetch(where: "rank", .oneOf([.text(text)])), [], "a fetch of a longer value")
        }
    }

    /// Returns a text of `count` bytes that doesn't compress, the same for each seed.
    private static func text(of count: Int, seed: UInt64) -> String {
        var state = seed
        let bytes = (0..<count).map { _ in
            // The generator of Knuth's MMIX, as 64 printable characters.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(48 + (state >> 58))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
