//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

/// A page of the event log.
struct LogPicture: Encodable {
    /// The position of the last event of the log.
    let last: Int64

    let events: [LoggedEvent]
}

/// An event of the log, as it may be shown.
struct LoggedEvent: Encodable {
    let position: Int64
    let id: UUID
    let name: String
    let version: Int
    let stream: String?
    let date: Double
    let payload: String?
    let cause: UUID?
    let correlation: UUID?

    init(_ record: EventRecord, _ configuration: Inspector.Configuration) {
        let event = record.event
        position = record.position
        id = event.id
        name = event.name
        version = event.version
        stream = event.stream.map { configuration.shown($0) }
        date = event.recordedAt.flowTime
        payload = configuration.redaction.storedMessage(event.name, event.json)?.shortened(to: configuration.textLimit)
        cause = event.origin.causationID
        correlation = event.origin.correlationID
    }
}

/// How far the subscriptions have come.
struct SubscriptionsPicture: Encodable {
    struct Subscription: Encodable {
        let name: String
        let pending: Int
        let deadLetters: Int

        /// How long the oldest event has been waiting, in seconds; `nil` where none is.
        let lag: Double?
    }

    let last: Int64
    let subscriptions: [Subscription]

    init(_ statistics: DeliveryStatistics, now: Date) {
        last = statistics.lastPosition
        subscriptions = statistics.subscriptions.map { subscription in
            Subscription(
                name: subscription.name,
                pending: subscription.pendingCount,
                deadLetters: subscription.deadLetterCount,
                lag: subscription.oldestPending.map { max(0, now.timeIntervalSince($0)) }
            )
        }
    }
}

/// A dead letter, as it may be shown.
struct ShownLetter: Encodable {
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

    init(_ letter: DeadLetter, _ configuration: Inspector.Configuration) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        reason = configuration.shown(letter.reason, by: configuration.redaction.failure)
        date = letter.date.flowTime
        message = letter.content.messageName
        let json: Data?
        switch letter.content {
        case .event(let record):
            messageID = record.event.id
            stream = record.event.stream.map { configuration.shown($0) }
            correlation = record.event.origin.correlationID
            json = record.event.json
        case .scheduled(let scheduled):
            messageID = scheduled.id
            stream = scheduled.stream.map { configuration.shown($0) }
            correlation = scheduled.origin.correlationID
            json = scheduled.json
        case .missing:
            messageID = nil
            stream = nil
            correlation = nil
            json = nil
        }
        let message = message
        payload = json.flatMap {
            configuration.redaction.storedMessage(message, $0)?.shortened(to: configuration.textLimit)
        }
    }
}

extension Inspector.Configuration {
    /// The kind of an entity, and its identifier as far as that may be shown.
    fileprivate func shown(_ reference: EntityReference) -> String {
        let key = redaction.identifier(reference.kind, reference.key)?.shortened(to: textLimit)
        return key.map { "\(reference.kind) \($0)" } ?? reference.kind
    }
}
