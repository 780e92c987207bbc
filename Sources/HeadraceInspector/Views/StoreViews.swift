//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceRelay
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

    /// The name of the operator, for the record of an operation.
    let operatorName: String?

    init(_ record: EventRecord, _ configuration: InspectorConfiguration) {
        let event = record.event
        position = record.position
        id = event.id
        name = event.name
        version = event.version
        stream = event.stream.map { configuration.shown($0) }
        date = event.recordedAt.millisecondsSince1970
        // The operations of operators contain no data of the application.
        let isOperation = event.name == OperatorLog.eventName
        payload =
            isOperation
            ? String(decoding: event.json, as: UTF8.self).truncated(to: configuration.textLimit)
            : configuration.payload(of: event.name, event.json)
        operatorName = isOperation ? event.origin.principalID : nil
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

        /// Time of the pause, in milliseconds since 1970; `nil` if the subscription isn't paused.
        let paused: Double?

        /// Whether a relay knows the events of the subscription.
        let canReplay: Bool
    }

    let last: Int64
    let subscriptions: [SubscriptionView]

    init(_ statistics: DeliveryStatistics, now: Date, canReplay: (String) -> Bool) {
        last = statistics.lastPosition
        subscriptions = statistics.subscriptions.map { subscription in
            SubscriptionView(
                name: subscription.name,
                pending: subscription.pendingCount,
                deadLetters: subscription.deadLetterCount,
                lag: subscription.oldestPending.map { max(0, now.timeIntervalSince($0)) },
                paused: subscription.pausedSince?.millisecondsSince1970,
                canReplay: canReplay(subscription.name)
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
        let content = ContentView(letter.content, configuration)
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        reason = configuration.shownFailure(letter.reason)
        date = letter.date.millisecondsSince1970
        message = letter.content.messageName
        messageID = content.messageID
        stream = content.stream
        payload = content.payload
        correlation = content.correlation
        let hidden = reason == nil ? content.hidden.union(.failure) : content.hidden
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

/// A delivery that isn't completed.
struct PendingDeliveryView: Encodable {
    let id: String
    let state: String
    let subscription: String
    let attempts: Int

    /// Time of the next attempt, in milliseconds since 1970.
    let next: Double?

    /// End of the lease, in milliseconds since 1970.
    let leaseEnd: Double?

    /// Whether an attempt has failed, also if the redaction hides the error.
    let hasFailed: Bool

    let failure: String?
    let isReplay: Bool
    let message: String
    let messageID: UUID?
    let stream: String?
    let payload: String?
    let correlation: UUID?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    let hidden: HiddenContent?

    init(_ delivery: PendingDelivery, _ configuration: InspectorConfiguration) {
        let content = ContentView(delivery.content, configuration)
        id = "\(delivery.id)"
        state = delivery.state.rawValue
        subscription = delivery.subscription
        attempts = delivery.attempts
        next = delivery.nextAttempt?.millisecondsSince1970
        leaseEnd = delivery.leaseEnd?.millisecondsSince1970
        hasFailed = delivery.lastFailure != nil
        failure = delivery.lastFailure.flatMap { configuration.shownFailure($0) }
        isReplay = delivery.isReplay
        message = delivery.content.messageName
        messageID = content.messageID
        stream = content.stream
        payload = content.payload
        correlation = content.correlation
        let hidden = hasFailed && failure == nil ? content.hidden.union(.failure) : content.hidden
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

/// A page of pending deliveries.
struct PendingPage: Encodable {
    let deliveries: [PendingDeliveryView]

    /// The cursor of the next page; `nil` after the last.
    let next: String?

    init(_ page: [PendingDelivery], limit: Int, _ configuration: InspectorConfiguration) {
        deliveries = page.map { PendingDeliveryView($0, configuration) }
        next = page.count < limit ? nil : page.last.map { "\($0.cursor)" }
    }
}

/// The message of a delivery, as far as the redaction shows it.
private struct ContentView {
    var messageID: UUID?
    var stream: String?
    var payload: String?
    var correlation: UUID?
    var hidden: HiddenContent = []

    init(_ content: Delivery.Content, _ configuration: InspectorConfiguration) {
        switch content {
        case .event(let record):
            messageID = record.event.id
            stream = record.event.stream.map { configuration.shown($0) }
            correlation = record.event.origin.correlationID
            payload = configuration.payload(of: record.event.name, record.event.json)
        case .scheduled(let scheduled):
            messageID = scheduled.id
            stream = scheduled.stream.map { configuration.shown($0) }
            correlation = scheduled.origin.correlationID
            payload = configuration.payload(of: scheduled.name, scheduled.json)
        case .missing:
            break
        }
        if messageID != nil, payload == nil { hidden = .storedMessage }
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
