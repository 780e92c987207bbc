// SPDX-License-Identifier: Apache-2.0

/// A fact that happened in the domain, named in the past tense: `OrderPlaced`, not `PlaceOrder`.
///
/// An entity raises an event (``HasDomainEvents/raiseEvent(_:)``); a ``UnitOfWork`` collects it and passes it to the
/// handlers of its type. A plain event is kept in memory only. Conform to ``DurableDomainEvent`` to store it with the
/// changes that it describes.
public protocol DomainEvent: Sendable {}
