// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceRelay
import HeadraceResilience
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
        let operation = event.name == OperatorLog.eventName ? OperatorLog.Operation(json: event.json) : nil
        let shownOperation = operation.map { configuration.shown($0) }
        payload = shownOperation.map(\.text) ?? configuration.payload(of: event.name, event.json)
        operatorName = operation == nil ? nil : event.origin.principalID
        cause = event.origin.causationID
        correlation = event.origin.correlationID
        var hidden: HiddenContent = shownOperation?.hidden ?? (payload == nil ? .storedMessage : [])
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

    /// Whether an operator has corrected the content; `nil` if not.
    let isCorrected: Bool?

    /// Whether the redaction shows the whole content, so that an operator can correct it; `nil` if not.
    let canCorrect: Bool?

    let content: ContentView

    init(_ letter: DeadLetter, _ configuration: InspectorConfiguration) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        reason = configuration.shownFailure(letter.reason)
        date = letter.date.millisecondsSince1970
        isCorrected = letter.isCorrected ? true : nil
        canCorrect = configuration.wholeContent(of: letter.content) == nil ? nil : true
        content = ContentView(letter.content, configuration, hides: reason == nil ? .failure : [])
    }
}

/// A page of dead letters.
struct DeadLetterPage: Encodable {
    let letters: [DeadLetterView]

    /// For each kind of hidden content in the dead letters, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    init(_ letters: [DeadLetter], _ configuration: InspectorConfiguration) {
        self.letters = letters.map { DeadLetterView($0, configuration) }
        hints = HiddenContent.hints(of: self.letters.compactMap(\.content.hidden))
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
    let content: ContentView

    init(_ delivery: PendingDelivery, _ configuration: InspectorConfiguration) {
        id = "\(delivery.id)"
        state = delivery.state.rawValue
        subscription = delivery.subscription
        attempts = delivery.attempts
        next = delivery.nextAttempt?.millisecondsSince1970
        leaseEnd = delivery.leaseEnd?.millisecondsSince1970
        hasFailed = delivery.lastFailure != nil
        failure = delivery.lastFailure.flatMap { configuration.shownFailure($0) }
        isReplay = delivery.isReplay
        content = ContentView(delivery.content, configuration, hides: hasFailed && failure == nil ? .failure : [])
    }
}

/// A page of pending deliveries.
struct PendingPage: Encodable {
    let deliveries: [PendingDeliveryView]

    /// The cursor of the next page; `nil` after the last.
    let next: String?

    /// For each kind of hidden content in the deliveries, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    init(_ page: [PendingDelivery], limit: Int, _ configuration: InspectorConfiguration) {
        deliveries = page.map { PendingDeliveryView($0, configuration) }
        hints = HiddenContent.hints(of: deliveries.compactMap(\.content.hidden))
        next = page.count < limit ? nil : page.last.map { "\($0.cursor)" }
    }
}

/// The message of a delivery or of a dead letter, as far as the redaction shows it.
struct ContentView: Encodable {
    /// Stored name of the message; empty if the message is no longer stored.
    let name: String

    let id: UUID?
    let stream: String?
    let payload: String?
    let correlation: UUID?

    /// The kinds that the redaction has hidden here and in the delivery; `nil` if it has hidden none.
    let hidden: HiddenContent?

    /// Creates the view; `others` are hidden parts of the delivery.
    init(_ content: Delivery.Content, _ configuration: InspectorConfiguration, hides others: HiddenContent) {
        let message = content.message
        name = content.messageName
        id = message?.id
        stream = message?.stream.map { configuration.shown($0) }
        payload = message.flatMap { configuration.payload(of: $0.name, $0.json) }
        correlation = message?.origin.correlationID
        let hidden = message != nil && payload == nil ? others.union(.storedMessage) : others
        self.hidden = hidden.isEmpty ? nil : hidden
    }
}

extension InspectorConfiguration {
    /// The kind of an entity, with its identifier if the redaction shows it.
    fileprivate func shown(_ reference: EntityReference) -> String {
        let key = limited(redaction.text(ofKey: reference.key, of: reference.kind))
        return key.map { "\(reference.kind) \($0)" } ?? reference.kind
    }

    /// A recorded operation; without the identifiers of workflows that are hidden, and without the contents of a correction, unless
    /// the redaction shows them as a whole.
    fileprivate func shown(_ operation: OperatorLog.Operation) -> (text: String, hidden: HiddenContent) {
        let isWhole =
            operation.correction.map { correction in
                [correction.earlier, correction.corrected].allSatisfy {
                    wholeContent(of: correction.message, Data($0.utf8)) != nil
                }
            } ?? true
        let target = operation.name.hasSuffix(" workflow") ? operation.target.map(shownInstance) : operation.target
        let correction = isWhole ? operation.correction : nil
        let shown = OperatorLog.Operation(operation.name, of: target, correction: correction)
        var hidden: HiddenContent = isWhole ? [] : .storedMessage
        if target != operation.target { hidden.insert(.identifier) }
        return (String(decoding: (try? shown.json) ?? Data(), as: UTF8.self).truncated(to: textLimit), hidden)
    }

    /// The workflow and the key of an instance; only the workflow if the key is hidden.
    private func shownInstance(_ id: String) -> String {
        let parts = id.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return id }
        return shownKey(parts[1], of: parts[0]).map { "\(parts[0])/\($0)" } ?? parts[0]
    }

    /// The stored JSON of a message, with its full length; `nil` unless the redaction shows all of it.
    func wholeContent(of content: Delivery.Content) -> String? {
        content.message.flatMap { wholeContent(of: $0.name, $0.json) }
    }

    private func wholeContent(of name: String, _ json: Data) -> String? {
        let text = redaction.text(ofStored: name, json)
        return text == String(decoding: json, as: UTF8.self) ? text : nil
    }

    /// The content of a stored message, as far as the redaction shows it.
    fileprivate func payload(of name: String, _ json: Data) -> String? {
        limited(redaction.text(ofStored: name, json))
    }
}

/// The outcome of one attempt to deliver a message, as the page shows it.
struct DeliveryView: Sendable, Equatable, Encodable {
    /// Time of the outcome, in milliseconds since 1970.
    let date: Double

    /// The outcome: `delivered`, `failed`, or `dead letter`.
    let outcome: String

    /// Name of the subscription.
    let subscription: String

    /// Stored name of the message.
    let message: String

    /// Number of the attempt, counting from 1.
    let attempt: Int

    /// The error or the reason, as far as the redaction shows it.
    let failure: String?

    /// Time of the next attempt, in milliseconds since 1970.
    let retry: Double?
}

extension Date {
    /// Time in milliseconds since 1970: the unit of all dates on the page.
    var millisecondsSince1970: Double { timeIntervalSince1970 * 1_000 }
}

extension Delivery.Content {
    /// Stored name of the message; empty if the message is no longer stored.
    var messageName: String { message?.name ?? "" }
}

/// A version of a projection, as the page shows it.
struct ProjectionView: Encodable {
    let name: String
    let version: Int
    let state: String

    /// Number of positions in the log that were not applied yet.
    let pending: Int

    /// Age of the oldest event that was not applied, in seconds; `nil` if there is none.
    let lag: Double?

    /// Why the next event can't be applied; `nil` if it can, or if the reason is hidden.
    let failure: String?

    init(_ status: ProjectionStatus, _ configuration: InspectorConfiguration, now: Date) {
        name = status.name
        version = status.version
        state = status.failure == nil ? status.state.description : "stopped"
        pending = status.pendingCount
        lag = status.oldestPending.map { max(0, now.timeIntervalSince($0)) }
        failure = status.failure.flatMap { configuration.shownFailure($0) }
    }
}

/// A circuit, as the page shows it.
struct CircuitView: Encodable {
    /// The name of the circuit, or its number in the list if the redaction hides the name.
    let name: String

    /// The state in words.
    let state: String

    init(_ name: String, _ state: CircuitState) {
        self.name = name
        self.state =
            switch state {
            case .closed: "closed"
            case .open: "open"
            case .halfOpen: "half-open"
            }
    }
}
