//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import Headrace

/// Tells another program of each transaction, at least once, and again until it has taken it.
public struct SendWebhook: HandlesDurableDomainEvent, Resolvable {
    /// The name under which deliveries are kept.
    public static let subscriptionName = "webhook"

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on((any Webhook).self)

    private let webhook: any Webhook

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        webhook = scope.resolve()
    }

    private struct Body: Encodable {
        let id: UUID
        let event: String
        let recorded: Date
        let content: TransactionPosted
    }

    /// Sends the event; what fails is retried by the relay.
    public func handle(_ event: TransactionPosted) async throws {
        // Without a delivery nobody could tell a repetition; a transaction has an identifier of its own.
        let delivery = DeliveryContext.current
        let id = delivery?.messageID ?? event.transaction
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let body = Body(
            id: id,
            event: TransactionPosted.eventName,
            recorded: delivery?.date ?? Date(),
            content: event
        )
        try await webhook.send(try encoder.encode(body), id: id)
    }
}
