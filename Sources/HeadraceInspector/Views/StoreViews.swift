//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

/// A page of the event log.
struct LogView: Encodable {
    /// Position of the last event of the log.
    let last: Int64

    let events: [LogEventView]

    /// For each kind of hidden content in the events, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    init(last: Int64, events: [LogEventView]) {
        self.last = last
        self.events = events
        hints = HiddenContent.hints(of: events.compactMap(\.hidden))
    }
}

/// An event of the log.
struct LogEventView: Encodable {
    let position: Int64
    let id: UUID
    let name: String
    let version: Int
    let stream: String?
    let date: Double
    let payload: String?
    let cause: UUID?
    let correlation: UUID?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    let hidden: HiddenContent?

    init(_ record: EventRecord, _ configuration: InspectorConfiguration) {
        let event = record.event
        position = record.position
        id = event.id
        name = event.name
        version = event.version
        stream = event.stream.map { configuration.shown($0) }
        date = event.recordedAt.millisecondsSince1970
        payload = configuration.payload(of: event.name, event.json)
        cause = event.origin.causationID
        correlation = event.origin.correlationID
        var hidden: HiddenContent = payload == nil ? .storedMessage : []
        if let owner = event.stream, stream == owner.kind { hidden.insert(.identifier) }
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

/// The progress of all subscriptions of a store.
struct SubscriptionsView: Encodable {
    struct SubscriptionView: Encodable {
        let name: String
        let pending: Int
        let deadLetters: Int

        /// Age of the oldest pending event in seconds; `nil` if no event is pending.
        let lag: Double?
    }

    let last: Int64
    let subscriptions: [SubscriptionView]

    init(_ statistics: DeliveryStatistics, now: Date) {
        last = statistics.lastPosition
        subscriptions = statistics.subscriptions.map { subscription in
            SubscriptionView(
                name: subscription.name,
                pending: subscription.pendingCount,
                deadLetters: subscription.deadLetterCount,
                lag: subscription.oldestPending.map { max(0, now.timeIntervalSince($0)) }
            )
        }
    }
}

/// A dead letter.
struct DeadLetterView: Encodable {
    let id: Int64
    let subscription: String
    let attempts: Int
    let reason: String?
    let date: Double
    let message: String
    let messageID: UUID?
    let stream: String?
    let payload: String?
    let correlation: UUID?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    let hidden: HiddenContent?

    init(_ letter: DeadLetter, _ configuration: InspectorConfiguration) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        reason = configuration.shownFailure(letter.reason)
        date = letter.date.millisecondsSince1970
        message = letter.content.messageName
        switch letter.content {
        case .event(let record):
            messageID = record.event.id
            stream = record.event.stream.map { configuration.shown($0) }
            correlation = record.event.origin.correlationID
            payload = configuration.payload(of: message, record.event.json)
        case .scheduled(let scheduled):
            messageID = scheduled.id
            stream = scheduled.stream.map { configuration.shown($0) }
            correlation = scheduled.origin.correlationID
            payload = configuration.payload(of: message, scheduled.json)
        case .missing:
            messageID = nil
            stream = nil
            correlation = nil
            payload = nil
        }
        var hidden: HiddenContent = reason == nil ? .failure : []
        if messageID != nil, payload == nil { hidden.insert(.storedMessage) }
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

extension InspectorConfiguration {
    /// The kind of an entity, with its identifier if the redaction shows it.
    fileprivate func shown(_ reference: EntityReference) -> String {
        let key = limited(redaction.text(ofKey: reference.key, of: reference.kind))
        return key.map { "\(reference.kind) \($0)" } ?? reference.kind
    }

    /// The content of a stored message, as far as the redaction shows it.
    fileprivate func payload(of name: String, _ json: Data) -> String? {
        limited(redaction.text(ofStored: name, json))
    }
}
