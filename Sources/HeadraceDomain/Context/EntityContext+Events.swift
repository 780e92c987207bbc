// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

extension EntityContext {
    /// Raises `event`, which no entity raises, if the unit of work commits.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     context.raiseEvent(ImportFinished(fileName: "march.csv"))
    /// }
    /// ```
    ///
    /// It is handled like the events of entities, in the order raised. Call it in the body of a unit of work, or in a pre-commit
    /// handler.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The entity that the event belongs to, or `nil`. Durable events of one entity keep their order; a durable event
    ///     without an entity has no order.
    public func raiseEvent(_ event: some DomainEvent, for source: EntityReference? = nil) {
        relayPart.raise(event, for: source)
    }

    /// Returns at most `limit` events of the store's log after a position, in commit order.
    ///
    /// Events of this unit of work are not included: they are stored when it commits.
    ///
    /// - Parameters:
    ///   - position: The position of the last known event; 0 for all events.
    ///   - limit: Maximum number of events.
    /// - Returns: The events.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await store.events(after: position, limit: limit)
    }
}
