// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
package import HeadraceStorage

/// The part of a commit that the relay reads later: settlement, idempotency records, scheduled messages, and cancellations.
package final class RelayPart {
    /// The delivery that the unit of work handles, which it settles in the same transaction.
    package var settlement: Settlement?

    /// The records of the commands with keys that the unit of work handles.
    package var idempotencyRecords: [IdempotencyRecord] = []

    var scheduled: [ScheduledMessage] = []
    var cancellations: [UUID] = []

    /// Events that don't come from an entity, and that were not taken yet.
    private var events: [(order: UInt64, event: CollectedEvent)] = []

    var hasEvents: Bool { !events.isEmpty }

    /// The content, each part in a few words.
    var summary: [String] {
        [
            (events.count, "events"), (scheduled.count, "scheduled messages"), (cancellations.count, "cancellations"),
            (idempotencyRecords.count, "idempotency keys"),
        ].filter { $0.0 > 0 }.map { "\($0.1) (\($0.0))" }
    }

    package func raise(_ event: any DomainEvent, for source: EntityReference?) {
        events.append((RaisedEvents.nextOrder(), CollectedEvent(event: event, source: source)))
    }

    func takeEvents() -> [(order: UInt64, event: CollectedEvent)] {
        defer { events.removeAll() }
        return events
    }

    /// Adds this part to `changes`.
    ///
    /// If there are no changes, the settlement is left out: the relay settles many such deliveries in one transaction.
    func add(to changes: inout ChangeSet) {
        changes.idempotencyRecords = idempotencyRecords
        changes.scheduled = scheduled
        changes.cancellations = cancellations
        if let settlement, !changes.isEmpty { changes.settlements.append(settlement) }
    }
}

extension ChangeSet {
    /// Adds the durable events among `collected`, with the deliveries to their subscriptions.
    mutating func append(_ collected: [CollectedEvent]) throws {
        var common: (now: Date, origin: MessageOrigin)?
        for collected in collected {
            guard let event = collected.event as? any DurableDomainEvent else {
                continue
            }
            let (now, origin) = common ?? (SystemValues.currentDate, .current)
            common = (now, origin)
            for subscription in collected.subscriptions {
                deliveries.append(NewDelivery(event: events.count, subscription: subscription))
            }
            events.append(try NewEvent(event, stream: collected.source, recordedAt: now, origin: origin))
        }
    }
}

extension NewEvent {
    fileprivate init<Event: DurableDomainEvent>(
        _ event: Event,
        stream: EntityReference?,
        recordedAt: Date,
        origin: MessageOrigin
    ) throws {
        self.init(
            id: .version7(),
            name: Event.eventName,
            version: Event.eventVersion,
            stream: stream,
            recordedAt: recordedAt,
            json: try DocumentCoding.encode(event),
            origin: origin
        )
    }
}
