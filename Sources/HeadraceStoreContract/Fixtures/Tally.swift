// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain

/// An event-sourced entity of the contract.
final class Tally: EventSourcedEntity {
    static let entityName = "contract-tally"
    static let snapshotInterval = 4
    static var indexes: [EntityIndex<Tally>] { [EntityIndex("total") { $0.total }] }
    static var appliedEvents: [AppliedEvent<Tally>] {
        [.on(TallyEntry.self) { tally, event in tally.total += event.amount }]
    }

    let id: String
    private(set) var total = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

struct TallyEntry: DurableDomainEvent {
    static let eventName = "contract-tally-entry"
    var amount: Int
}

/// The tally of a later version of the program, whose state and index have other members.
final class LaterTally: EventSourcedEntity {
    static let entityName = "contract-tally"
    static let schemaVersion = 2
    static let snapshotInterval = 4
    static var indexes: [EntityIndex<LaterTally>] {
        [EntityIndex("total") { $0.sum }, EntityIndex("count") { $0.count }]
    }
    static var appliedEvents: [AppliedEvent<LaterTally>] {
        [
            .on(TallyEntry.self) { tally, event in
                tally.sum += event.amount
                tally.count += 1
            }
        ]
    }

    let id: String
    private(set) var sum = 0
    private(set) var count = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}
