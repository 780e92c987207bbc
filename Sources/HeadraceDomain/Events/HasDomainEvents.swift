// SPDX-License-Identifier: Apache-2.0

/// An entity that raises domain events and keeps them until a unit of work takes them.
///
/// The `@DomainEntity` macro adds the conformance. By hand it is one line:
///
/// ```swift
/// final class Customer: HasDomainEvents {
///     var raisedEvents = RaisedEvents()
/// }
/// ```
public protocol HasDomainEvents: AnyObject {
    /// The events raised since a unit of work last took them.
    var raisedEvents: RaisedEvents { get set }

    /// Raises `event`, which is handled when the unit of work that uses this entity completes.
    ///
    /// Without a unit of work, the event stays in ``HasDomainEvents/raisedEvents``. The default implementation adds it
    /// there; an ``EventSourcedEntity`` also applies it.
    func raiseEvent(_ event: some DomainEvent)
}

extension HasDomainEvents {
    /// Adds `event` to ``HasDomainEvents/raisedEvents``.
    public func raiseEvent(_ event: some DomainEvent) {
        raisedEvents.append(event)
    }
}
