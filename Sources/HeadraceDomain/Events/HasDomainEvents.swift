//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
}

extension HasDomainEvents {
    /// Raises `event`: it is handled when the unit of work that touches this entity completes.
    ///
    /// Without a unit of work it stays where it is.
    public func raiseEvent(_ event: some DomainEvent) {
        raisedEvents.append(event)
    }
}
