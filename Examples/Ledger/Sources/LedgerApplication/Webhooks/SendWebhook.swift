// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace

/// Sends each posted transaction to the webhook (at-least-once delivery).
public struct SendWebhook: HandlesDurableDomainEvent, Resolvable {
    /// The name of the subscription in the store.
    public static let subscriptionName = "webhook"

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any Webhook).self)

    private let webhook: any Webhook

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        webhook = scope.resolve()
    }

    private struct Body: Encodable {
        let id: UUID
        let event: String
        let recorded: Date
        let content: TransactionPosted
    }

    /// Handles the event.
    ///
    /// The relay retries it after an error.
    public func handle(_ event: TransactionPosted) async throws {
        // Outside of a delivery, the identifier of the transaction serves the receiver to detect repetitions.
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
