// SPDX-License-Identifier: Apache-2.0

/// The session of a unit of work: it tracks the entities in use and commits their changes.
///
/// Usually this is ``EntityContext``. Conform another kind of session (for example, the object graph of a framework) to
/// run units of work on it.
public protocol DomainContext: AnyObject {
    /// Takes the events that the entities in use have raised since the last call, in the order raised.
    ///
    /// An entity is in use if it was found, fetched, inserted, changed, or deleted since the last commit or roll-back.
    /// A context that can list its entities uses ``CollectedEvent/take(from:)``.
    func takeEvents() -> [CollectedEvent]

    /// The identity for joining: a unit of work within another unit of work on the same identity joins it.
    var joinIdentity: ObjectIdentifier { get }

    /// Whether ``commit(_:)`` stores deliveries of events to subscriptions; `false` by default.
    ///
    /// If it doesn't, durable handlers run in process, like handlers without a subscription.
    var storesDeliveries: Bool { get }

    /// Commits all changes together with the durable events among `events`, or stores neither.
    ///
    /// - Throws: An error if the changes can't be stored. The unit of work calls ``rollback()`` next.
    nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws

    /// Discards all uncommitted changes.
    func rollback()
}

extension DomainContext {
    /// The context's own identity: only units of work on this context join.
    public var joinIdentity: ObjectIdentifier { ObjectIdentifier(self) }

    /// The default, `false`.
    public var storesDeliveries: Bool { false }
}
