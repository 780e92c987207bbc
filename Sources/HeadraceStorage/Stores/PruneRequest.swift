// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to remove old rows from a store.
public struct PruneRequest: Sendable {
    /// Removes events recorded before this time, except pending events and dead letters; `nil` removes none.
    ///
    /// The streams of event-sourced entities are stored apart from the log, so they lose nothing.
    public var eventsBefore: Date?

    /// Removes idempotency records of commands that took effect before this time; `nil` removes none.
    public var idempotencyRecordsBefore: Date?

    /// Maximum number of rows to remove, so that other writers can commit in between.
    public var limit: Int

    /// Creates a request.
    public init(eventsBefore: Date? = nil, idempotencyRecordsBefore: Date? = nil, limit: Int = 1_000) {
        self.eventsBefore = eventsBefore
        self.idempotencyRecordsBefore = idempotencyRecordsBefore
        self.limit = limit
    }
}
