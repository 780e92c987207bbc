// SPDX-License-Identifier: Apache-2.0

/// Numbers of the copied rows.
public struct StoreCopySummary: Sendable, Hashable {
    /// Number of entities.
    public let entityCount: Int

    /// Number of events in the log.
    public let eventCount: Int

    /// Number of deliveries that aren't completed, also of scheduled messages.
    public let deliveryCount: Int

    /// Number of scheduled messages.
    public let scheduledMessageCount: Int

    /// Number of dead letters.
    public let deadLetterCount: Int

    /// Number of outcomes that are kept for idempotency keys.
    public let idempotencyRecordCount: Int

    package init(_ counts: [StoreTable: Int]) {
        entityCount = counts[.entities] ?? 0
        eventCount = counts[.events] ?? 0
        deliveryCount = counts[.deliveries] ?? 0
        scheduledMessageCount = counts[.scheduled] ?? 0
        deadLetterCount = counts[.deadLetters] ?? 0
        idempotencyRecordCount = counts[.keys] ?? 0
    }
}
